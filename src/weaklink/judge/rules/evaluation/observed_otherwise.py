from __future__ import annotations

import numpy as np

from weaklink.base.evidence.run import Run
from weaklink.base.evidence.series import Array
from weaklink.base.stats import level
from weaklink.judge.rules.writing import HIGH, Answer, CannotTell, Evidence, Finding, Level, Link, rule

SPREAD, MEAN = "observation.std", "observation.mean"
TESTED_SPREAD, TESTED_MEAN = "evaluation.observation_std", "evaluation.observation_mean"

# evaluations, and the share of them that must be off
FEWEST, MOSTLY = 5, 0.8


@rule(
    "EVA309",
    link=Link.EVALUATION,
    level=Level.WARN,
    needs=(SPREAD, (TESTED_SPREAD, TESTED_MEAN)),
    leads_to=("EVA303", "EVA304"),
)
def observed_otherwise(run: Run, *, times: float = 10.0) -> Answer:
    """In evaluation the policy is given observations on another scale than in training.

    ## What it sees
    The spread of the observations of evaluations is ten times larger or smaller than that of training at the same
    steps, or their mean lies ten spreads away, in four of five evaluations.

    ## Why it is bad
    The same policy plays the same task, so it sees about the same. Another scale means that what prepares observations
    in training (a normaliser with its statistics, a wrapper) is missing in evaluation, and that the policy is judged on
    inputs that it was never trained on.

    ## What to do
    1. Wrap the evaluation environment like that of training, load the statistics of the normaliser and freeze them.
    2. Print one observation of the first step on both sides.

    ## How to prove it
    Evaluate in the training environment: the return must then be that of training.

    ## When it is wrong
    A log that writes raw observations for evaluation and prepared ones for training, while the policy gets the same.

    ## References
    Stable-Baselines3 documentation, `VecNormalize`.
    """
    spread, mean = run[SPREAD], run.get(MEAN)
    tested = run.get(TESTED_SPREAD, TESTED_MEAN)
    assert tested is not None
    if min(len(tested), len(spread)) < FEWEST:
        return CannotTell((tested.name,), f"fewer than {FEWEST} evaluations")
    width = np.maximum(np.abs(np.interp(tested.steps, spread.steps, spread.values)), 1e-12)
    factors: list[tuple[str, Array]] = []
    if TESTED_SPREAD in run:
        seen = run[TESTED_SPREAD]
        factors.append(("spread", np.abs(np.interp(tested.steps, seen.steps, seen.values)) / width))
    if TESTED_MEAN in run and mean is not None:
        seen = run[TESTED_MEAN]
        away = np.interp(tested.steps, seen.steps, seen.values) - np.interp(tested.steps, mean.steps, mean.values)
        factors.append(("mean", np.abs(away) / width))
    for what, factor in factors:
        small = what == "spread" and float(np.mean(factor < 1 / times)) >= MOSTLY
        if small or float(np.mean(factor > times)) >= MOSTLY:
            return _describe(run, what, level(factor), level(width), times)
    return None


def _describe(run: Run, what: str, factor: float, width: float, times: float) -> Finding:
    tested = run[TESTED_SPREAD if what == "spread" else TESTED_MEAN]
    told = f"have {factor:,.3g} times the spread" if what == "spread" else f"lie {factor:,.3g} spreads from the mean"
    return Finding(
        message=f"From step {tested.first_step:,.0f} on the observations of evaluations {told} of those of training "
        f"(spread {width:.3g}): they are preprocessed differently.",
        onset=tested.first_step,
        onset_within=tested.interval,
        confidence=HIGH,
        evidence=(
            Evidence(metric=tested.name, value=level(tested.values), limit=times * width, step=tested.first_step),
        ),
    )
