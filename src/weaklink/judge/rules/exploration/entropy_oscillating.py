from __future__ import annotations

import numpy as np

from weaklink.base.evidence.run import Run
from weaklink.base.evidence.series import Array
from weaklink.base.proving import ENTROPY, FALLS, RETURN_RISES, SPREAD, Change, Intervention, Promise
from weaklink.base.stats import count_swings, noise, quantile
from weaklink.judge.rules._course import FEWEST
from weaklink.judge.rules.writing import LOW, MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule

METRICS = ("exploration.relative_entropy", "exploration.entropy")


@rule(
    "EXP304",
    link=Link.EXPLORATION,
    level=Level.WARN,
    on=Run,
    needs=(METRICS,),
    leads_to=("EXP301", "POL307", "VAL301", "REW301", "REW303", "REW304"),
    symptoms={"reward oscillates": 3},
    experiment=Intervention(
        change=Change(setting="learning_rate", times=1 / 3),
        promise=Promise(metrics=ENTROPY, then=FALLS, measure=SPREAD),
        if_confirmed="The step was too large: keep the smaller learning rate.",
        if_refuted="The swings do not come from the step: look at the batch, a schedule, or tasks that alternate.",
        also=(RETURN_RISES,),
    ),
)
def entropy_oscillating(
    run: Run, *, reversals: int = 8, of_range: float = 0.4, of_level: float = 0.2, of_noise: float = 6.0
) -> Answer:
    """The entropy oscillates wildly.

    ## What it sees
    The entropy reverses direction eight times or more, each time by at least 40 % of its whole range, a fifth of its
    largest value, and six times its early scatter from point to point, while the return does not improve.

    ## Why it is bad
    Each update overshoots: one makes the policy nearly deterministic, the next one reverses it. Each batch undoes what
    the one before taught. The usual cause is a learning rate that is too high.

    ## What to do
    1. Lower the learning rate by a factor of 3 to 10.
    2. Use fewer epochs per rollout, or stop the update at a target KL of 0.02.
    3. Enlarge the batch, and check the size of the advantages.

    ## How to prove it
    Repeat a short run with a third of the learning rate and nothing else changed: the oscillation must shrink.
    `weaklink confirm EXP304 my_project.py` does this.

    ## When it is wrong
    Tasks with phases (a curriculum, a learning opponent) move the entropy up and down for good reasons. Entropy logged
    from single small batches, as by A2C, scatters, so the early scatter is the reference.

    ## References
    Jones, Debugging RL, Without the Agonizing Pain, 2021.
    """
    series = run.get(*METRICS)
    if series is None or len(series) < FEWEST:
        return CannotTell(("exploration.entropy",), f"fewer than {FEWEST} points")
    if run.performance is None:
        return CannotTell(("reward.episode_return",), "it is not known whether the oscillation does harm")
    values = series.values
    low, high = quantile(values, 0.02), quantile(values, 0.98)  # the range without outliers
    size = max(
        of_range * (high - low), of_level * float(np.abs(values).max()), of_noise * _measure_early_noise(values), 1e-6
    )
    found = count_swings(values, size)
    if not run.performance.stuck or found.count < reversals:
        return None
    step = float(series.steps[found.start])
    return Finding(
        message=f"The entropy reverses {found.count} times by about {found.size:.2g} from step {step:,.0f} on, within "
        f"a range of {low:.2g} to {high:.2g}, and the return does not improve.",
        onset=step,
        onset_within=series.interval,
        confidence=MEDIUM if found.count >= 2 * reversals else LOW,
        evidence=(Evidence(metric=series.name, value=found.size, limit=size, step=step),),
    )


def _measure_early_noise(values: Array) -> float:
    """The scatter from point to point in the first third of the run, or in all of it where it has not grown."""
    early, whole = noise(values[: max(len(values) // 3, 5)]), noise(values)
    return early if whole > 2 * early else max(early, whole)
