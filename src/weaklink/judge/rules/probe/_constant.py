"""What a reward that is always the same tells, on the first rung of all and beside the next one."""

from __future__ import annotations

from statistics import median

from weaklink.base.evidence.outcome import RIGHT, Measure, Outcome, Rung, Trial
from weaklink.base.finding import HIGH, MEDIUM
from weaklink.base.loop import Link
from weaklink.judge.rules.probe._cause import (
    NEAR,
    NEARLY,
    ONE_PLACE,
    ONE_STEP,
    SLIGHTLY,
    Cause,
    in_one_place,
    measured,
    typical,
)

CONSTANT = "constant-reward"
LONGEST_WINDOW = 10


def told_by_a_constant_reward(outcome: Outcome, rung: Rung, trials: list[Trial]) -> Cause | None:
    """What its one value says by itself."""
    values = measured(trials, "value", "q")
    if rung.name != CONSTANT or not values:
        return None
    if _is_lost(outcome, values):
        return _mean_taken_out()
    window = _window(values, trials[0].gamma) if in_one_place(trials) else 0
    return _window_runs_on(window) if window else None


def _is_lost(outcome: Outcome, values: list[Measure]) -> bool:
    """Whether a reward that is always the same is worth nothing to it, while rewards that differ are learned."""
    lost = all(abs(measure.measured) <= NEAR for measure in values)
    return lost and any(other.verdict == RIGHT for other in outcome.of(ONE_STEP))


def _mean_taken_out() -> Cause:
    return Cause(
        Link.REWARD,
        "a reward that is always the same is worth nothing to it, while rewards that differ are learned: what is "
        "common to all rewards is taken out of them",
        "where rewards or returns are normalised: the mean must stay in, and divide by the spread of returns alone",
        MEDIUM,
    )


def _window(values: list[Measure], gamma: float) -> int:
    """Over how many one-step episodes of reward 1 is added up; 0 where the value is no such sum."""
    value, total = median(measure.measured for measure in values), 1.0
    for steps in range(2, LONGEST_WINDOW + 1):
        total = 1.0 + gamma * total
        if abs(value - total) <= ONE_PLACE * total:
            return steps
    return 0


def _window_runs_on(steps: int) -> Cause:
    return Cause(
        Link.RETURNS,
        f"the value is the sum of {steps} discounted rewards where an episode has one: returns over {steps} steps run "
        f"on into the next episode",
        "where the window of several steps is cut: at an end nothing of the next episode may be added",
        HIGH,
    )


def beside_the_first(outcome: Outcome, rung: Rung) -> list[Measure]:
    """Where the first rung of all breaks: what is wrong on the next one, which the same mistake must explain."""
    trials = [trial for other in outcome.of(ONE_STEP) for trial in other.failed if not trial.failure]
    return typical(measured(trials, "value")) if rung.name == CONSTANT else []


def shifted(measures: list[Measure], beside: list[Measure]) -> Cause | None:
    """Every value is off by the same amount, whatever is seen."""
    off = [measure.measured - measure.right for measure in (*measures, *beside)]
    if not beside or min(map(abs, off)) < NEAR or max(off) - min(off) > NEAR / 4:
        return None
    return Cause(
        Link.POLICY,
        f"every value is off by {median(off):.3g}, whatever is seen: something beside the value loss moves it",
        "whether the advantage in the policy's loss is cut off from the critic (detach, no_grad), and what else is "
        "added to the loss that reaches it",
        MEDIUM,
    )


def drawn_to_zero(measures: list[Measure], beside: list[Measure]) -> Cause | None:
    """A reward that is always the same is learned in part, and of rewards that differ still less."""
    if not beside:
        return None
    shares = [measure.measured / measure.right for measure in measures]
    others = [measure.measured / measure.right for measure in beside]
    if not SLIGHTLY < min(shares) <= max(shares) < NEARLY or max(others) > 0.5 * min(shares):
        return None
    return Cause(
        Link.OPTIMIZER,
        f"values rest at {median(shares):.0%} of a reward that is always the same and at {median(others):.0%} of "
        f"rewards that differ: something draws the weights to zero",
        "weight decay and other penalties (an argument by position may have landed there), and the order of the "
        "optimizer's arguments",
        MEDIUM,
    )
