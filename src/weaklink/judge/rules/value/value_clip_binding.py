from __future__ import annotations

from math import isfinite, sqrt

from weaklink.base.evidence.run import Run
from weaklink.base.stats import level
from weaklink.judge.rules._course import FEWEST
from weaklink.judge.rules._hyperparameters import read_positive
from weaklink.judge.rules.writing import HIGH, Answer, CannotTell, Evidence, Finding, Level, Link, rule


@rule(
    "VAL311",
    link=Link.VALUE,
    level=Level.WARN,
    needs=("value.loss",),
    leads_to=("VAL301", "VAL304", "VAL305", "POL308", "REW301", "REW302", "REW304"),
    checks={"critic": "fails"},
)
def value_clip_binding(run: Run, *, share: float = 0.1) -> Answer:
    """Value clipping leaves the critic no way to its targets within the whole training.

    ## What it sees
    The value clip range times the number of updates so far, which is the furthest that a value could have been moved,
    is less than a tenth of the error that the critic still has at the end: the root of its loss.

    ## Why it is bad
    A value that is clipped gets no gradient. The critic stays near its first values, whatever its targets are, and
    advantages are returns with all their noise.

    ## What to do
    1. Switch value clipping off, or set its range to about the standard deviation of returns.
    2. Check the unit: the range is one of returns, not of probability ratios.

    ## How to prove it
    Repeat a short run without value clipping: the explained variance must rise faster.

    ## When it is wrong
    Where values are normalised and the loss is logged in the units of raw returns, the two cannot be compared.

    ## References
    RLlib issue #8908 on `vf_clip_param`; Andrychowicz et al., What Matters In On-Policy Reinforcement Learning?, 2020.
    """
    loss, clip = run["value.loss"], read_positive(run.config, "value_clip_range")
    if clip is None or not isfinite(clip) or run.family not in ("on-policy", ""):
        return CannotTell(("value_clip_range",), "no range of value clipping is configured")
    updates = _count_rollouts(run)
    if len(loss) < FEWEST or updates is None:
        return CannotTell((loss.name,), f"fewer than {FEWEST} points, or the number of updates is not known")
    error = sqrt(max(level(loss.values[-max(len(loss) // 5, 3) :]), 0.0))
    reach = clip * updates
    if reach >= share * error:
        return None
    return Finding(
        message=f"Value clipping at {clip:g} lets values move by {reach:.3g} at most in all {updates:,.0f} updates, "
        f"and the critic is still off by about {error:.3g}.",
        onset=loss.first_step,
        onset_within=loss.interval,
        confidence=HIGH,
        evidence=(Evidence(metric=loss.name, value=error**2, limit=(reach / share) ** 2, step=loss.last_step),),
    )


def _count_rollouts(run: Run) -> float | None:
    """How many rollouts were learned from: values are clipped around those with which each was collected."""
    loss, steps = run["value.loss"], read_positive(run.config, "rollout_steps")
    if steps is None or loss.provenance.axis == "episodes":
        return None
    return loss.last_step / steps if loss.interval >= steps else loss.last_step
