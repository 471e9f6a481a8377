"""A critic that learns from a few steps at a time: many small rollouts, each passed once, read together.

Within one of them everything that a target may be made of is a column of one line, for rows that another row follows:

`target = scale * reward + a * next value + b * next advantage + c * value of the last observation`

One-step targets have a alone, sums of rewards with a bootstrap at the end have a and b, and both have no c: what lies
behind the rollout reaches a row through the next one. The loss itself (`target = value - gradient / weight`) is one
more factor, and a reward that never changes is an offset.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from weaklink.base.evidence.recovered import STATE_VALUES, RecoveredValues
from weaklink.base.evidence.rollout import Array
from weaklink.base.evidence.update import UNMATCHED, HeadCall, UpdateReading
from weaklink.collect.monitor.reading.lines import VISIBLE, fit_mostly, measure_rounding, measure_spread
from weaklink.collect.monitor.reading.state_values import SQUARE

FEWEST_ROLLOUTS, FEWEST_ROWS = 4, 32
"""Small rollouts, and rows of them that another follows, from which on factors are known."""

CLEAR = 0.005
"""A factor below this is none: far above rounding, a quarter of what a bootstrap that is discounted once leaves."""

NEARLY_ALL = 0.99

VALUE, ASKED, AFTER, ASKED_AFTER, BEHIND_IT, REWARD = range(6)
"""The columns: a value, its gradient, both of the next row, the value behind the rollout, the reward."""

PLAIN = "next row"
ONE_NEXT = "last observation of the minibatch as the next one of every row"
BEHIND = "value of the last observation of the minibatch added to every row"
ONCE = "bootstrap discounted once instead of n times"

MODELS = {
    ONE_NEXT: (ASKED, BEHIND_IT, REWARD),
    PLAIN: (ASKED, AFTER, ASKED_AFTER, REWARD),
    BEHIND: (ASKED, AFTER, ASKED_AFTER, BEHIND_IT, REWARD),
}
"""What a target is made of, the simplest first: one number for all rows of a rollout fits the others too."""


def recover_short(reading: UpdateReading, calls: Sequence[HeadCall]) -> RecoveredValues | None:
    """Reads a critic that was asked again after every few steps; None where it was not, or nothing fits."""
    if len({call.stamp for call in calls}) < FEWEST_ROLLOUTS:
        return None
    parts = [part for call in calls if (part := _list_columns(reading, call)) is not None]
    if sum(len(part) for part in parts) < FEWEST_ROWS:
        return None
    columns = np.concatenate(parts)
    for model, taken in MODELS.items():
        fit = _fit(columns, taken)
        if fit is not None:
            return _describe(calls[0].head, model, *fit)
    return None


def _fit(columns: Array, taken: tuple[int, ...]) -> tuple[Array, float] | None:
    """The factors of some columns, 0 for all others, and what they leave; None where that is more than nothing."""
    wanted, rewards = columns[:, VALUE], columns[:, REWARD]
    if float(np.ptp(rewards)) == 0.0:
        columns = np.concatenate([columns[:, :REWARD], np.ones((len(columns), 1))], axis=1)
    table = columns[:, taken]
    allowed = 0.1 * VISIBLE * measure_spread(wanted) + measure_rounding(table, wanted)
    found = fit_mostly(table, wanted, allowed)
    if found is None or np.mean(np.abs(found[1]) <= allowed) < NEARLY_ALL or found[0][0] == 0.0:
        return None
    factors = np.zeros(columns.shape[1])
    factors[list(taken)] = found[0]
    return factors, float(np.sqrt(np.mean(found[1] ** 2))) / max(measure_spread(wanted), 1e-30)


def _describe(head: str, model: str, factors: Array, left: float) -> RecoveredValues | None:
    inverse, gamma, carried, behind = (float(each) for each in factors[ASKED:REWARD])
    rate = behind if model == ONE_NEXT else gamma
    if not CLEAR < rate < 1.0 + CLEAR:
        return None
    source = ONCE if model == BEHIND and abs(behind - gamma * (1.0 - gamma)) < CLEAR else model
    return RecoveredValues(
        head=head,
        kind=STATE_VALUES,
        loss=SQUARE,
        weight=1.0 / inverse,
        unexplained=left,
        gamma=rate,
        lam=None if model == ONE_NEXT else -carried / inverse / gamma,
        source="" if source == PLAIN else source,
    )


def _list_columns(reading: UpdateReading, call: HeadCall) -> Array | None:
    """Value, gradient, next value, next gradient, value behind the rollout, reward: of rows that another follows.

    None where an episode ends in the rollout, where rows are not on the tape, or where the critic was not asked about
    the observation behind it.
    """
    tape, rows = reading.tape, call.rows
    if not len(rows) or np.any(rows == UNMATCHED) or np.any((tape.terminated | tape.truncated)[rows]):
        return None
    place = {int(row): index for index, row in enumerate(rows)}
    if len(place) < len(rows):
        return None
    behind, asked = _read_behind(reading, call), call.gradients[:, 0] * len(rows)
    found = []
    for row, index in place.items():
        following, end = place.get(row + tape.members), row
        while end + tape.members in place:
            end += tape.members
        if following is None:
            continue
        if end not in behind:
            return None
        own, later = ([float(call.outputs[each, 0]), float(asked[each])] for each in (index, following))
        found.append([*own, *later, behind[end], float(tape.rewards[row])])
    return np.array(found, np.float64) if found else None


def _read_behind(reading: UpdateReading, call: HeadCall) -> dict[int, float]:
    """What the critic answered, for the same optimizer step, of the observations that followed rows of the tape."""
    found: dict[int, float] = {}
    for answer in reading.answers:
        if answer.head == call.head and answer.step == call.step and answer.outputs.shape[1] == 1:
            known = np.flatnonzero(answer.next_rows != UNMATCHED)
            found.update({int(answer.next_rows[each]): float(answer.outputs[each, 0]) for each in known})
    return found
