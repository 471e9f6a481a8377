from __future__ import annotations

import numpy as np

from weaklink.base.evidence.run import Run
from weaklink.base.evidence.series import Series
from weaklink.base.stats import HeldStretch, find_lasting_below, level, noise
from weaklink.judge.rules._course import FEWEST
from weaklink.judge.rules.writing import HIGH, MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule

METRICS = ("policy.kl", "policy.kl_reference")


@rule(
    "POL304",
    link=Link.POLICY,
    level=Level.ERROR,
    on=Run,
    needs=(METRICS,),
    leads_to=("POL307", "EXP301", "EXP302", "LLM310", "REW304"),
)
def kl_negative(run: Run, *, clearly: float = 0.01, slightly: float = 0.001, mostly: float = 0.9) -> Answer:
    """The estimated KL divergence is negative, which a divergence cannot be.

    ## What it sees
    The KL to the old policy or to the reference stays below -0.01 for a third of the log, or nine points in ten are
    negative with a level below -0.001. In both cases the mean must be negative by more than three standard errors.

    ## Why it is bad
    A divergence is never below zero. An estimate that stays there compares log-probabilities of different things:
    masked or padded tokens, invalid actions, another temperature or top-p when sampling. As a penalty it then rewards
    the policy for moving away from the reference.

    ## What to do
    1. Compute both log-probabilities with the same mask, over the tokens or actions that were sampled.
    2. Sample with the settings that the log-probabilities assume: temperature 1, no top-k, no top-p, no minimum length.
    3. Leave tokens of prompts, padding and tool outputs out of the sum.
    4. Once it is right, prefer the estimator `(ratio - 1) - log(ratio)`: it cannot be negative.

    ## How to prove it
    Take one batch before the first update, where both policies are the same: every term of the sum must be 0. The
    first token or action whose term is not 0 shows the mistake.

    ## When it is wrong
    The plain estimator `mean(old - new)` is sometimes negative from noise alone, and slightly negative for long where
    the KL is nearly zero. Neither is reported.

    ## References
    Schulman, Approximating KL Divergence, 2020; TRL issues #235 and #925; Search-R1 issue #21.
    """
    known = [run[name] for name in METRICS if name in run and len(run[name]) >= FEWEST]
    if not known:
        return CannotTell(tuple(name for name in METRICS if name in run), f"fewer than {FEWEST} points")
    for series in known:
        held = _find_negative(series, clearly, slightly, mostly)
        if held is None:
            continue
        step = float(series.steps[held.start])
        what = "KL to the reference" if series.name == METRICS[1] else "KL to the old policy"
        return Finding(
            message=f"The {what} stays at {held.level:.3g} from step {step:,.0f} on, but a divergence cannot be "
            "negative.",
            onset=step,
            onset_within=series.interval,
            confidence=HIGH if held.level < -clearly and held.to_end else MEDIUM,
            evidence=(Evidence(metric=series.name, value=held.level, limit=0.0, step=step),),
        )
    return None


def _find_negative(series: Series, clearly: float, slightly: float, mostly: float) -> HeldStretch | None:
    """The stretch in which the estimate is negative beyond its noise, or None."""
    values = series.values
    held = find_lasting_below(values, -clearly, window=0.33)
    if held is None and float(np.mean(values < 0)) >= mostly and level(values) < -slightly:
        held = find_lasting_below(values, 0.0, share=mostly, window=0.5)
    if held is None:
        return None
    part = values[held.start : held.end + 1]
    error = noise(part) / np.sqrt(len(part))
    return held if float(part.mean()) + 3 * error < 0 else None
