"""What a constant reward reveals, on the first rung of all and beside the next one."""

from __future__ import annotations

from statistics import median

from weaklink.base.evidence.outcome import RIGHT, Measure, Outcome, Rung
from weaklink.judge.rules.probe._cause import (
    NEAR,
    NEARLY,
    ONE_PLACE,
    ONE_STEP,
    SLIGHTLY,
    BrokenRung,
    Cause,
    Hypothesis,
    explain,
    in_one_place,
    measured,
    typical,
)
from weaklink.judge.rules.writing import HIGH, MEDIUM, Link

CONSTANT = "constant-reward"
LONGEST_WINDOW = 10
"""Steps of an n-step return: common settings are 3 and 5."""


def explain_constant_reward(broken: BrokenRung) -> Cause | None:
    """What the only value of the first rung says by itself."""
    known = broken.rung.name == CONSTANT and bool(broken.measured("value", "q"))
    return explain(broken, _CONSTANT) if known else None


def _loses_constant(broken: BrokenRung) -> bool:
    """A constant reward has a value of zero, while rewards that differ are learned."""
    lost = all(abs(measure.measured) <= NEAR for measure in broken.measured("value", "q"))
    return lost and any(other.verdict == RIGHT for other in broken.outcome.of(ONE_STEP))


def _find_window(broken: BrokenRung) -> int | None:
    """The number of one-step episodes whose discounted rewards add up to the value; None where it is no such sum."""
    if not in_one_place(broken.trials):
        return None
    value = median(measure.measured for measure in broken.measured("value", "q"))
    total, gamma = 1.0, broken.trials[0].gamma
    for steps in range(2, LONGEST_WINDOW + 1):
        total = 1.0 + gamma * total
        if abs(value - total) <= ONE_PLACE * total:
            return steps
    return None


def measure_next_rung(outcome: Outcome, rung: Rung) -> list[Measure]:
    """Where the first rung of all breaks: the values of the next one, which the same mistake must explain."""
    trials = [trial for other in outcome.of(ONE_STEP) for trial in other.failed if not trial.failure]
    return typical(measured(trials, "value")) if rung.name == CONSTANT else []


def find_shift(measures: list[Measure], beside: list[Measure]) -> float | None:
    """The same amount by which every value is off, whatever is observed."""
    off = [measure.measured - measure.right for measure in (*measures, *beside)]
    if not beside or min(map(abs, off)) < NEAR or max(off) - min(off) > NEAR / 4:
        return None
    return median(off)


def find_decay(measures: list[Measure], beside: list[Measure]) -> tuple[float, float] | None:
    """The shares that are learned of a constant reward, and of rewards that differ, where the second is far smaller."""
    if not beside:
        return None
    shares = [measure.measured / measure.right for measure in measures]
    others = [measure.measured / measure.right for measure in beside]
    if not SLIGHTLY < min(shares) <= max(shares) < NEARLY or max(others) > 0.5 * min(shares):
        return None
    return median(shares), median(others)


_CONSTANT: tuple[Hypothesis[BrokenRung], ...] = (
    Hypothesis(
        _loses_constant,
        Link.REWARD,
        "a constant reward has a value of zero, while rewards that differ are learned: the mean is subtracted from the "
        "rewards",
        "where rewards or returns are normalised: keep the mean, and divide by the standard deviation of returns only",
        MEDIUM,
    ),
    Hypothesis(
        _find_window,
        Link.RETURNS,
        "the value is the sum of {0} discounted rewards where an episode has one: {0}-step returns run on into the "
        "next episode",
        "where the n-step window is cut: at the end of an episode no reward of the next one may be added",
        HIGH,
    ),
)
