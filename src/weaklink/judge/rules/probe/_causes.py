"""Why a rung fails: the cause that explains its numbers and contradicts no rung that holds.

Values are compared with what each known mistake would learn, actions with what a broken policy would do. A rung that
holds clears what it needs: a policy that learns the better of two actions is updated in the right direction.
"""

from __future__ import annotations

import math
from itertools import pairwise

from weaklink.base.evidence.outcome import Measure, Outcome, Rung, RungTrial
from weaklink.judge.rules.probe._actions import explain_choices, explain_same_action
from weaklink.judge.rules.probe._cause import (
    LAST_DIGIT,
    BrokenRung,
    Cause,
    Hypothesis,
    by_state,
    closed,
    explain,
    grown,
    measured,
)
from weaklink.judge.rules.probe._constant import explain_constant_reward
from weaklink.judge.rules.probe._continuous import explain_continuous
from weaklink.judge.rules.probe._handover import explain_returned_agent
from weaklink.judge.rules.probe._values import explain_clipped_rewards, explain_values
from weaklink.judge.rules.writing import HIGH, LOW, MEDIUM, Level, Link

CLOSING = 0.4
"""The share of its error that a slow learner loses with four times the budget; a converged one loses about none."""

BEGUN, FASTER, UNLIKE = 0.2, 3.0, 0.1
"""Of the right value: a learner that has just begun stays below the first at the smaller budget, then gets this many
times as far, and its seeds differ by the last."""


def find_cause(outcome: Outcome, rung: Rung, otherwise: Cause) -> Cause:
    """The most likely cause of a broken rung; `otherwise` blames what the rung itself adds."""
    trials = [trial for trial in rung.failed if not trial.failure]
    if not trials:
        return otherwise
    broken = BrokenRung(outcome, rung, trials)
    causes = (cause for explanation in _EXPLANATIONS if (cause := explanation(broken)) is not None)
    return next(causes, None) or explain_same_action(trials, otherwise) or otherwise


def _has_diverged(broken: BrokenRung) -> bool:
    """Some answer is not finite."""
    return not all(math.isfinite(measure.measured) for trial in broken.trials for measure in trial.measures)


def _takes_forbidden(broken: BrokenRung) -> bool:
    """Actions that the mask forbids were taken."""
    return bool(broken.missed("forbidden"))


def _overshoots(broken: BrokenRung) -> bool:
    """Seeds end far out on both sides of a right value; a mistake in the targets moves all of them to one side."""
    return any(map(_is_on_both_sides, by_state(measured(broken.rung.final, "value", "q"))))


def _is_on_both_sides(same: list[Measure]) -> bool:
    values = [measure.measured for measure in same]
    size = max(1.0, abs(same[0].right))
    return min(values) < same[0].low and max(values) > same[0].high and max(values) - min(values) > size


def _is_slow(broken: BrokenRung) -> bool:
    """Every miss still moves to the right answer."""
    shares = closed(broken.rung, broken.trials, "value", "q", "distance")
    every = len(shares) == len(broken.missed("value", "q", "distance"))
    return bool(shares) and every and (min(shares) >= CLOSING or _has_just_begun(broken))


def _has_just_begun(broken: BrokenRung) -> bool:
    """Hardly away from zero after the smaller budget, several times as far after the larger, and unlike by seed."""
    pairs = [pair for pair in grown(broken.rung, broken.trials, "value", "q") if abs(pair[0].right) > UNLIKE]
    ways = [(before.measured / before.right, after.measured / after.right) for before, after in pairs]
    ends = [after for _, after in ways]
    return (
        bool(ways)
        and all(abs(before) < BEGUN and max(BEGUN, FASTER * abs(before)) < after < 1.0 for before, after in ways)
        and max(ends) - min(ends) > UNLIKE
    )


def _count_dead(broken: BrokenRung) -> int | None:
    """Some trainings give two states the same value to the last digit where others separate them."""
    alike = [_answers_alike(trial) for trial in broken.rung.trials if len(measured([trial], "value")) > 1]
    dead = sum(map(_answers_alike, broken.trials))
    return None if 2 * dead < len(broken.trials) or all(alike) else dead


def _answers_alike(trial: RungTrial) -> bool:
    values = sorted(measure.measured for measure in measured([trial], "value"))
    return any(after - before <= LAST_DIGIT for before, after in pairwise(values))


_CERTAIN: tuple[Hypothesis[BrokenRung], ...] = (
    Hypothesis(
        _has_diverged,
        Link.OPTIMIZER,
        "the training has diverged and its outputs are NaN or infinite",
        "the learning rate, gradient clipping, and any division by zero or logarithm of zero",
        MEDIUM,
    ),
    Hypothesis(
        _takes_forbidden,
        Link.ACTION,
        "it takes actions that the mask forbids",
        "where the mask is applied to the distribution: before sampling while collecting, and again in the update",
        HIGH,
    ),
)
_UPDATES: tuple[Hypothesis[BrokenRung], ...] = (
    Hypothesis(
        _overshoots,
        Link.OPTIMIZER,
        "with one seed the value ends far above the right one and with another far below: updates overshoot",
        "the learning rate, the number of epochs on the same rollout, gradient clipping, and the coefficient of the "
        "value loss",
        MEDIUM,
    ),
    Hypothesis(
        _is_slow,
        Link.OPTIMIZER,
        "it still moves towards the right answer, too slowly for the budget",
        "the learning rate and the number of updates; `--steps` with a larger budget separates slow from wrong",
        LOW,
        Level.WARN,
    ),
)
_DEAD: tuple[Hypothesis[BrokenRung], ...] = (
    Hypothesis(
        _count_dead,
        Link.OPTIMIZER,
        "with {} of the seeds that fail two states have the same value to the last digit, and with others they "
        "do not: units of the network are dead",
        "the learning rate and gradient clipping; ReLU units that are off for every observation stay off",
        MEDIUM,
    ),
)
_EXPLANATIONS = (
    lambda broken: explain(broken, _CERTAIN),
    explain_returned_agent,
    lambda broken: explain(broken, _UPDATES),
    explain_clipped_rewards,
    explain_constant_reward,
    explain_values,
    explain_choices,
    explain_continuous,
    lambda broken: explain(broken, _DEAD),
)
"""In this order: what is proven, what training and evaluation do differently, what is unstable or merely slow, then
values, actions and last the network."""
