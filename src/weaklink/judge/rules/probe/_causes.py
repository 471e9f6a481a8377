"""Why a rung fails: the reason that explains its numbers and spares the rungs that hold.

Values are held against what each known mistake would learn, actions against what a broken policy would do. A rung that
holds clears what it needed: a policy that tells two actions apart is updated, and the right way.
"""

from __future__ import annotations

import math
from itertools import pairwise

from weaklink.base.evidence.outcome import Measure, Outcome, Rung, Trial
from weaklink.base.finding import HIGH, LOW, MEDIUM, Level
from weaklink.base.loop import Link
from weaklink.judge.rules.probe._actions import handed_over, same_everywhere, wrong_choices, wrong_distances
from weaklink.judge.rules.probe._cause import LAST_DIGIT, Cause, by_state, closed, grown, measured, missed
from weaklink.judge.rules.probe._constant import told_by_a_constant_reward
from weaklink.judge.rules.probe._temperature import overheated, wrong_entropy
from weaklink.judge.rules.probe._values import clipped_rewards, wrong_values

CLOSING = 0.4
"""Which share of its way to the right answer a slow learner makes with the larger budget."""

BEGUN, FASTER, UNLIKE = 0.2, 3.0, 0.1


def cause(outcome: Outcome, rung: Rung, otherwise: Cause) -> Cause:
    """The most likely cause of a broken rung; `otherwise` is what the rung itself adds."""
    trials = [trial for trial in rung.failed if not trial.failure]
    if not trials:
        return otherwise
    found = (
        _diverged(trials)
        or _forbidden(trials)
        or handed_over(outcome, trials)
        or _overshot(rung)
        or _slow(rung, trials)
        or clipped_rewards(trials)
        or told_by_a_constant_reward(outcome, rung, trials)
        or wrong_values(outcome, rung, trials)
        or wrong_choices(outcome, rung, trials)
        or _density(trials)
        or overheated(trials)
        or wrong_distances(trials)
        or wrong_entropy(trials)
        or _died(rung, trials)
    )
    return found or same_everywhere(trials, otherwise) or otherwise


def _diverged(trials: list[Trial]) -> Cause | None:
    if all(math.isfinite(measure.measured) for trial in trials for measure in trial.measures):
        return None
    return Cause(
        Link.OPTIMIZER,
        "the training has diverged and its answers are no numbers any more",
        "the learning rate, the clipping of gradients, and what can divide by zero or take the logarithm of it",
        MEDIUM,
    )


def _overshot(rung: Rung) -> Cause | None:
    """Seeds end far out on both sides of a right value; a mistake in the targets takes all of them to one side."""
    if not any(map(_on_both_sides, by_state(measured(rung.final, "value", "q")))):
        return None
    return Cause(
        Link.OPTIMIZER,
        "with one seed the value ends far above the right one and with another far below: updates overshoot",
        "the learning rate, the number of updates on the same rows, the clipping of gradients, and the weight of the "
        "value loss",
        MEDIUM,
    )


def _on_both_sides(same: list[Measure]) -> bool:
    values = [measure.measured for measure in same]
    size = max(1.0, abs(same[0].right))
    return min(values) < same[0].low and max(values) > same[0].high and max(values) - min(values) > size


def _forbidden(trials: list[Trial]) -> Cause | None:
    if not missed(trials, "forbidden"):
        return None
    return Cause(
        Link.ACTION,
        "it takes actions that the mask forbids",
        "where the mask goes into the distribution: before the draw while collecting, and again in the update",
        HIGH,
    )


def _died(rung: Rung, trials: list[Trial]) -> Cause | None:
    """Some trainings end with one answer to the last digit where others tell two states apart."""
    alike = [_answers_alike(trial) for trial in rung.trials if len(measured([trial], "value")) > 1]
    dead = sum(_answers_alike(trial) for trial in trials)
    if 2 * dead < len(trials) or all(alike):
        return None
    return Cause(
        Link.OPTIMIZER,
        f"with {dead} of the seeds that fail two states have the same value to the last digit, and with others they "
        f"have not: units of the network have died",
        "the learning rate and the clipping of gradients; rectifiers that are off for everything that is seen stay off",
        MEDIUM,
    )


def _answers_alike(trial: Trial) -> bool:
    values = sorted(measure.measured for measure in measured([trial], "value"))
    return any(after - before <= LAST_DIGIT for before, after in pairwise(values))


def _density(trials: list[Trial]) -> Cause | None:
    off = missed(trials, "density")
    if len(off) < len(trials):
        return None
    return Cause(
        Link.ACTION,
        "the log-probability does not belong to the actions that are drawn",
        "the change of variables of the squashing (log(1 - tanh(u)**2) subtracted, summed over dimensions), and "
        "whether the action is the one that was drawn and not a clipped or scaled one",
        HIGH,
    )


def _just_begun(rung: Rung, trials: list[Trial]) -> bool:
    """Hardly away from zero after the smaller budget, several times as far after the larger, and unlike by seed."""
    ways = [(before.measured / before.right, after.measured / after.right) for before, after in _ways(rung, trials)]
    ends = [after for _, after in ways]
    return (
        bool(ways)
        and all(abs(before) < BEGUN and max(BEGUN, FASTER * abs(before)) < after < 1.0 for before, after in ways)
        and max(ends) - min(ends) > UNLIKE
    )


def _ways(rung: Rung, trials: list[Trial]) -> list[tuple[Measure, Measure]]:
    return [pair for pair in grown(rung, trials, "value", "q") if abs(pair[0].right) > UNLIKE]


def _slow(rung: Rung, trials: list[Trial]) -> Cause | None:
    """Every miss is still on its way to the right answer."""
    shares = closed(rung, trials, "value", "q", "distance")
    every = len(shares) == len(missed(trials, "value", "q", "distance"))
    if not shares or not every or not (min(shares) >= CLOSING or _just_begun(rung, trials)):
        return None
    return Cause(
        Link.OPTIMIZER,
        "it still moves towards the right answer, too slowly for the budget",
        "the learning rate and the number of updates; `--steps` with a larger budget tells slow from wrong",
        LOW,
        Level.WARN,
    )
