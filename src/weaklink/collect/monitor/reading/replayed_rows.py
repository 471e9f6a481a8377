"""Rows that are learned from and that no environment gave like this: what was done to them on the way.

Everything here is exact: a row is found byte for byte in another form, at another step, or cannot have been given.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from weaklink.base.evidence.flaw_kinds import (
    ACTION_LAG,
    CUT_OBSERVATIONS,
    LOST_RESETS,
    NEVER_COLLECTED,
    OTHER_ACTIONS,
    OTHER_NEXT,
)
from weaklink.base.evidence.recovered import RecoveredFlaw
from weaklink.base.evidence.rollout import Array
from weaklink.base.evidence.update import UNMATCHED, HeadCall, Tape, UpdateReading
from weaklink.collect.monitor.reading.climbing import find_climb
from weaklink.collect.monitor.reading.executed_actions import find_drawn_anew
from weaklink.collect.monitor.reading.lines import fit_column_lines
from weaklink.collect.monitor.reading.rewards import are_transformed
from weaklink.collect.monitor.reading.tape_rows import TakenActions, list_bootstrapped

FEWEST = 16
"""Rows that must show one and the same thing."""

FEWEST_EPISODES = 3
"""Episodes that must begin in the same wrong way."""

VISIBLE = 0.05
"""The share of rows below which rows of another kind may come from elsewhere."""

MOSTLY = 0.5
"""The share of rows that must be on the tape where what a network is given may be something else."""

NEARLY_ALL = 0.99
"""The share of rows that one explanation must cover."""

CLOSE = 1e-5
"""How far an action may lie from another one once it was scaled in single precision, as a share of its range."""

EXACT = 1e-6
"""The same where an action may be any of the tape: so close that few fit by chance."""

MOST_BY_CHANCE = 0.1
"""The share of the range that the actions of the tape may cover so closely."""

BY_CHANCE = 1e-6
"""The chance below which rows are not all alike by chance."""

LAGS = (-1, 1, -2, 2)
"""Steps from which an action may come instead of the row's own, by an index that is off."""

OTHER_SCALE = 0.01
"""The share by which two scales of one column must differ."""

CASTS = (np.int8, np.uint8, np.int16, np.int32)
"""Types of whole numbers in which buffers keep observations."""


def find_row_flaws(reading: UpdateReading, taken: TakenActions) -> tuple[RecoveredFlaw, ...]:
    """What was done to the rows of every head that a loss asks something of; each kind once."""
    found: dict[str, RecoveredFlaw] = {}
    for head in reading.heads:
        calls = [call for call in reading.of_head(head) if call.inputs.shape[1] and not is_looked_at(call)]
        if calls:
            for flaw in (*_judge_head(reading.tape, head, calls, taken), *_compare_next(reading, head, calls)):
                found.setdefault(flaw.kind, flaw)
    return tuple(found.values())


def is_looked_at(call: HeadCall) -> bool:
    """Whether the loss of an actor looks at a critic there, with actions of its own; it may reach the actor or not."""
    return call.climbed or (call.outputs.shape[1] == 1 and find_climb(call.gradients * len(call.rows)) is not None)


def _judge_head(tape: Tape, head: str, calls: Sequence[HeadCall], taken: TakenActions) -> list[RecoveredFlaw]:
    width = calls[0].inputs.shape[1]
    alike = [call for call in calls if call.inputs.shape[1] == width]
    rows = np.concatenate([call.rows for call in alike])
    inputs = np.concatenate([call.inputs for call in alike])
    asked = np.concatenate([np.any(call.gradients != 0.0, axis=1) for call in alike])
    rows, inputs, seen = rows[asked], inputs[asked], tape.observations.shape[1]
    if len(rows) < FEWEST or width < seen:
        return []
    flaw = _find_changed(tape, head, rows, inputs) if _holds_observations(rows, inputs, seen, taken) else None
    found = [] if flaw is None else [flaw]
    if not taken.discrete and width == seen + taken.table.shape[1]:
        flaw = _compare_actions(tape, head, rows, inputs[:, seen:].astype(np.float64), taken.table)
        found += [] if flaw is None else [flaw]
    return found


def _holds_observations(rows: Array, inputs: Array, seen: int, taken: TakenActions) -> bool:
    """Whether inputs are observations, alone or with an action: most are on the tape, or the columns are as many.

    A network with a memory is given that memory, which is all zeros where an episode begins.
    """
    filled = np.any(inputs, axis=1)
    if filled.any() and float(np.mean(rows[filled] != UNMATCHED)) >= MOSTLY:
        return True
    return inputs.shape[1] in (seen, seen + taken.table.shape[1])


def _compare_next(reading: UpdateReading, head: str, calls: Sequence[HeadCall]) -> list[RecoveredFlaw]:
    """Next observations that have another scale or offset than the observations that are learned from."""
    tape, seen = reading.tape, reading.tape.observations.shape[1]
    pairs = [(call, answer) for call in calls for answer in list_bootstrapped(reading, call)[:1]]
    widths = {(call.inputs.shape[1], answer.inputs.shape[1]) for call, answer in pairs}
    if len(widths) != 1 or min(next(iter(widths))) < seen:
        return []
    own = np.concatenate([call.rows for call, _ in pairs]), np.concatenate([call.inputs for call, _ in pairs])
    after = [np.concatenate([getattr(answer, name) for _, answer in pairs]) for name in ("next_rows", "inputs")]
    kept = [own[0] != UNMATCHED, after[0] != UNMATCHED]
    if min(each.sum() for each in kept) < FEWEST:
        return []
    now = fit_column_lines(tape.observations[own[0][kept[0]]].astype(np.float64), own[1][kept[0]][:, :seen])
    then = fit_column_lines(tape.next_observations[after[0][kept[1]]].astype(np.float64), after[1][kept[1]][:, :seen])
    exact = (now.left <= CLOSE) & (then.left <= CLOSE)
    spread = np.abs(now.scales) * tape.observations.std(axis=0) + CLOSE
    other = np.abs(then.scales / np.where(exact, now.scales, 1.0) - 1.0) > OTHER_SCALE
    other |= np.abs(then.offsets - now.offsets) > OTHER_SCALE * spread
    columns = np.flatnonzero(exact & other)
    if not len(columns):
        return []
    first, count = int(columns[0]), int(kept[1].sum())
    return [
        RecoveredFlaw(
            kind=OTHER_NEXT, head=head, count=count, of=first, number=float(now.scales[first]),
            other=float(then.scales[first]),
        )
    ]  # fmt: skip


def _find_changed(tape: Tape, head: str, rows: Array, inputs: Array) -> RecoveredFlaw | None:
    """Observations that are not on the tape, and that show why."""
    given, lost = inputs[:, : tape.observations.shape[1]], rows == UNMATCHED
    if not tape.is_whole:
        return None
    begun = _count_lost_resets(tape, given)
    if begun is not None:
        return RecoveredFlaw(kind=LOST_RESETS, head=head, count=begun[0], of=begun[1])
    if not lost.any():
        return None
    empty = lost & ~np.any(inputs, axis=1)
    if not empty.all() and _are_cut(tape.observations, given, lost):
        return RecoveredFlaw(kind=CUT_OBSERVATIONS, head=head, count=len(rows), of=len(rows))
    if empty.all() and _may_be_cut_away(tape.observations, len(rows)):
        return None  # a later update tells whether there are other rows
    on_tape = np.any(~np.any(tape.observations, axis=1)) or np.any(~np.any(tape.next_observations, axis=1))
    if empty.sum() >= max(FEWEST, VISIBLE * len(rows)) and not on_tape:
        return RecoveredFlaw(kind=NEVER_COLLECTED, head=head, count=int(empty.sum()), of=len(rows))
    return None


def _may_be_cut_away(observations: Array, count: int) -> bool:
    """Whether so many observations without their fractions may all be zeros, by chance or always."""
    share = float(np.mean(~np.any(np.trunc(observations), axis=1)))
    return share**count > BY_CHANCE


def _are_cut(observations: Array, given: Array, lost: Array) -> bool:
    """Whether all rows are whole numbers, those of the tape are not, and cutting these gives the rows."""
    if not np.issubdtype(observations.dtype, np.floating) or np.any(given != np.round(given)):
        return False
    if np.mean(np.any(observations != np.round(observations), axis=1)) < NEARLY_ALL:
        return False
    wanted = [row.tobytes() for row in np.ascontiguousarray(given[lost].astype(np.int64))]
    for cast in CASTS:
        with np.errstate(invalid="ignore"):
            made = np.ascontiguousarray(observations.astype(cast).astype(np.int64))
        cut = {row.tobytes() for row in made}
        if np.mean([row in cut for row in wanted]) >= NEARLY_ALL:
            return True
    return False


def _count_lost_resets(tape: Tape, given: Array) -> tuple[int, int] | None:
    """Episodes that begin, in what is learned from, with the last observation of the one before; and all of them.

    None where few do, or where an observation that reset returned is learned from too. What an end left behind is only
    ever a next observation, unless a trainer goes on with it.
    """
    ends = np.flatnonzero((tape.terminated | tape.truncated)[: -tape.members])
    starts = ends + tape.members
    moved = np.any(tape.next_observations[ends] != tape.observations[starts], axis=1)
    ends, starts = ends[moved], starts[moved]
    keys = {row.tobytes() for row in _pack(given, given)}
    first = {row.tobytes() for row in _pack(tape.observations, given)}
    if not keys.isdisjoint(row.tobytes() for row in _pack(tape.observations[starts], given)):
        return None
    last = {row.tobytes() for row in _pack(tape.next_observations[ends], given)} - first
    begun = len(keys & last)
    return (begun, len(ends)) if begun >= FEWEST_EPISODES else None


def _pack(values: Array, like: Array) -> Array:
    return np.ascontiguousarray(values.astype(like.dtype)) + 0


def _compare_actions(tape: Tape, head: str, rows: Array, given: Array, table: Array) -> RecoveredFlaw | None:
    """Actions that a critic is given and that are not those of its rows, in whatever units."""
    known = rows != UNMATCHED
    rows, given = rows[known], given[known]
    if len(rows) < FEWEST or _belong(given, table[rows]):
        return None
    for lag in LAGS:
        others = rows + lag * tape.members
        inside = (others >= 0) & (others < len(table))
        if inside.mean() >= NEARLY_ALL and _belong(given[inside], table[others[inside]]):
            return RecoveredFlaw(kind=ACTION_LAG, head=head, count=int(inside.sum()), of=len(rows), number=lag)
    anew = find_drawn_anew(head, rows, given, table[rows])
    if anew is not None:
        return anew
    share = max(_find_elsewhere(given[:, column], table[:, column]) for column in range(given.shape[1]))
    if share < NEARLY_ALL:
        return None
    return RecoveredFlaw(kind=OTHER_ACTIONS, head=head, count=round(share * len(rows)), of=len(rows))


def are_taken(reading: UpdateReading, head: str, taken: TakenActions) -> bool:
    """Whether the actions that a critic is given are those of its rows, in whatever units; also where nobody knows."""
    seen, dimensions = reading.tape.observations.shape[1], taken.table.shape[1]
    calls = [call for call in reading.of_head(head) if not is_looked_at(call)]
    calls = [call for call in calls if call.inputs.shape[1] == seen + dimensions]
    if taken.discrete or not calls:
        return True
    rows, inputs = (np.concatenate([getattr(call, name) for call in calls]) for name in ("rows", "inputs"))
    known = rows != UNMATCHED
    given, real = inputs[known].astype(np.float64), taken.table[rows[known]]
    return known.sum() < FEWEST or any(_belong(part, real) for part in (given[:, seen:], given[:, :dimensions]))


def _belong(given: Array, real: Array) -> bool:
    """Whether each column is a rising function of that of the tape: scaled, clipped, squashed or as it is."""
    allowed = CLOSE * (np.ptp(given, axis=0) + np.ptp(real, axis=0))
    columns = zip(given.T, real.T, allowed, strict=True)
    return all(
        bool(np.all(np.abs(one - other) <= near)) or are_transformed(other, one, float(near))
        for one, other, near in columns
    )


def _find_elsewhere(given: Array, table: Array) -> float:
    """The share of actions that are, but for one scale, actions of the tape."""
    real = np.unique(table[table != 0.0])
    wanted = np.unique(given[given != 0.0])
    if min(len(real), len(wanted)) < FEWEST or 2.0 * EXACT * len(real) > MOST_BY_CHANCE:
        return 0.0
    close = EXACT * float(np.abs(real).max())
    largest = wanted[np.argsort(np.abs(wanted))[-4:]]  # the largest ones are known best, relative to their size
    candidates = real / largest[-1]
    for each in largest[:-1]:
        near = np.abs(candidates[:, None] * each - real[None, :]).min(axis=1)
        candidates = candidates[near <= close]
    shares = []
    for scale in candidates[candidates > 0.0]:
        places = np.clip(np.searchsorted(real, given * scale), 1, len(real) - 1)
        near = np.minimum(np.abs(real[places] - given * scale), np.abs(real[places - 1] - given * scale))
        shares.append(float(np.mean(near <= close)))
    return max(shares, default=0.0)
