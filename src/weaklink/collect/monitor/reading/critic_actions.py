"""The units of actions along their way: the environment's, those a critic learns with, and those it is asked about.

A trainer may store actions in any units. The bounds of the environment's space, in those of the stored rows, are then
the bounds of everything that the critic may be asked about.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from weaklink.base.evidence.flaw_kinds import FEW_ACTIONS, NARROWED, OTHER_UNITS, OUT_OF_REACH, OUTSIDE_SPACE
from weaklink.base.evidence.recovered import RecoveredFlaw
from weaklink.base.evidence.rollout import Array
from weaklink.base.evidence.update import UNMATCHED, HeadCall, UpdateReading
from weaklink.collect.monitor.reading.lines import fit_column_lines
from weaklink.collect.monitor.reading.tape_rows import TakenActions, find_following

OF_UNITS = (OTHER_UNITS, OUTSIDE_SPACE, OUT_OF_REACH, NARROWED, FEW_ACTIONS)

FEWEST = 64
"""Actions that must tell."""

OFTEN = 0.1
"""The share of actions beyond the bounds from which on it is no matter of rounding or of a few draws."""

BEYOND = 0.1
"""How far beyond the bounds, as a share of the range, an action counts."""

EXACTLY = 1e-4
"""What a scale and an offset may leave of the range of an action."""

SQUASHED, NEAR_BOUND, FEWEST_NEAR = (0.99, 1.0 + 1e-6), 0.97, 8
"""Where the largest of many actions that an actor squashes into -1 .. 1 lies, and how many come near it: no other
actor has its largest action there, on both sides of every dimension."""

SQUASHES: dict[float, Callable[[Array], Array]] = {-1.0: np.tanh, 0.0: lambda given: 1.0 / (1.0 + np.exp(-given))}
"""The functions that squash the last layer of an actor, by the smallest number that they give; the largest is 1."""

REACHED = 0.75
"""The share of an action's range that an actor must be able to reach."""

MANY, FEW, FEWEST_ROWS = 100, 2, 256
"""Different actions that a critic learns from, and to how few of them the environment may reduce those, in so many
rows."""


def find_unit_flaws(reading: UpdateReading, taken: TakenActions) -> tuple[tuple[RecoveredFlaw, ...], bool]:
    """Flaws of actors that climb a critic in a bounded space, and whether there is such an actor."""
    bounds = reading.tape.bounds
    climbs = any(call.climbed for call in reading.calls)
    if taken.discrete or not climbs or bounds is None or bounds.shape[1] != taken.table.shape[1]:
        return (), False
    if not np.isfinite(bounds).all() or not np.all(bounds[0] < bounds[1]):
        return (), False
    outside = tuple(_find_outside(reading.tape.environment, taken.table, bounds))
    other = outside or tuple(_find_other(reading, taken, bounds))
    return other or tuple(_find_few(reading, taken)), True


def _find_outside(environment: str, table: Array, bounds: Array) -> Iterator[RecoveredFlaw]:
    """Actions that no environment of this space can do: what climbs a critic is squashed into bounds of its own."""
    there = _are_beyond(table, bounds)
    if len(table) >= FEWEST and there.mean() >= OFTEN:
        yield RecoveredFlaw(kind=OUTSIDE_SPACE, head=environment, count=int(there.sum()), of=len(table))


def _find_other(reading: UpdateReading, taken: TakenActions, bounds: Array) -> Iterator[RecoveredFlaw]:
    """Critics that are asked about actions which, in the units of the rows that they learn from, nobody can take."""
    seen, dimensions = reading.tape.observations.shape[1], taken.table.shape[1]
    for head in reading.heads:
        calls = [call for call in reading.of_head(head) if call.inputs.shape[1] == seen + dimensions]
        learned = [call for call in calls if not call.climbed]
        stored = _convert_bounds([(call.rows, call.inputs[:, seen:]) for call in learned], taken.table, bounds)
        # a network that is entered elsewhere may be given its actions in other units there
        doors = {call.door for call in learned}
        climbed = [call for call in reading.of_head(head) if call.climbed and call.door in doors]
        asked = [call.made for call in climbed if call.made is not None]
        asked += [each.inputs[:, seen:] for call in learned for each in find_following(reading, call)]
        asked = [each for each in asked if each.shape[1] == dimensions]
        if stored is None or not asked:
            continue
        actions = np.concatenate(asked)
        there = _are_beyond(actions, stored)
        if len(actions) >= FEWEST and there.mean() >= OFTEN:
            largest, most = float(np.abs(actions).max()), float(np.abs(stored).max())
            yield RecoveredFlaw(
                kind=OTHER_UNITS, head=head, count=int(there.sum()), of=len(actions), number=largest, other=most
            )
            return
        reached = min(_measure_reach(actions, stored), _measure_squash(reading, head, stored, doors))
        if reached < REACHED:
            _, given = _join_stored(learned, seen)
            kind = OUT_OF_REACH if np.mean(np.abs(given) > SQUASHED[1]) >= OFTEN else NARROWED
            yield RecoveredFlaw(kind=kind, head=head, count=len(actions), of=len(actions), number=reached)
            return


def _measure_reach(actions: Array, bounds: Array) -> float:
    """The least share of a dimension's range that an actor can reach which squashes actions into -1 .. 1; 1 for others.

    Args:
        actions: (n, d) that the actor made.
        bounds: (2, d) of the space, in the units of these actions.
    """
    sizes = np.stack([actions.max(axis=0), -actions.min(axis=0)])
    near = np.minimum(np.sum(actions > NEAR_BOUND, axis=0), np.sum(actions < -NEAR_BOUND, axis=0))
    if np.any(sizes < SQUASHED[0]) or np.any(sizes > SQUASHED[1]) or np.any(near < FEWEST_NEAR):
        return 1.0
    inside = np.minimum(bounds[1], 1.0) - np.maximum(bounds[0], -1.0)
    return float(np.min(np.maximum(inside, 0.0) / (bounds[1] - bounds[0])))


def _measure_squash(reading: UpdateReading, head: str, bounds: Array, doors: set[int]) -> float:
    """The least share of a dimension's range that an actor can reach whose last layer is squashed by a known function.

    Each function leaves of the actions next to nothing, times a scale and with an offset, or it is another one. `doors`
    are the modules through which the head is entered with actions in these units.
    """
    pairs = [
        (actor.outputs, climbed.made)
        for climbed in reading.of_head(head)
        if climbed.climbed and climbed.made is not None and climbed.door in doors
        for actor in reading.calls
        if actor.step == climbed.step and not actor.climbed and actor.outputs.shape == climbed.made.shape
    ]
    if sum(len(each) for each, _ in pairs) < FEWEST:
        return 1.0
    given, made = (np.concatenate(each).astype(np.float64) for each in zip(*pairs, strict=True))
    lines = {lowest: fit_column_lines(squash(given), made) for lowest, squash in SQUASHES.items()}
    left = {lowest: float(each.left.max()) for lowest, each in lines.items()}  # NaN where a dimension never moves
    lowest = min(left, key=lambda each: left[each])
    if not left[lowest] <= EXACTLY or not all(left[lowest] < 0.1 * other for at, other in left.items() if at != lowest):
        return 1.0
    ends = np.sort([lines[lowest].offsets + lines[lowest].scales * end for end in (lowest, 1.0)], axis=0)
    inside = np.minimum(bounds[1], ends[1]) - np.maximum(bounds[0], ends[0])
    return float(np.min(np.maximum(inside, 0.0) / (bounds[1] - bounds[0])))


def _find_few(reading: UpdateReading, taken: TakenActions) -> Iterator[RecoveredFlaw]:
    """Actions of many sizes that a critic learns from, of which the environment is given one or two."""
    seen, dimensions = reading.tape.observations.shape[1], taken.table.shape[1]
    for head in reading.heads:
        calls = [call for call in reading.of_head(head) if call.inputs.shape[1] == seen + dimensions]
        rows, given = _join_stored([call for call in calls if not call.climbed], seen)
        for place in range(dimensions) if len(rows) >= FEWEST_ROWS else ():
            sizes = len(np.unique(given[:, place])), len(np.unique(taken.table[rows, place]))
            if sizes[0] >= MANY and sizes[1] <= FEW:
                yield RecoveredFlaw(
                    kind=FEW_ACTIONS, head=head, count=len(rows), of=place, number=sizes[1], other=sizes[0]
                )
                return


def _join_stored(calls: list[HeadCall], seen: int) -> tuple[Array, Array]:
    """The rows of critics on the tape, and the actions that they were given for them."""
    rows = np.concatenate([call.rows for call in calls] or [np.zeros(0, np.int64)])
    given = np.concatenate([call.inputs[:, seen:] for call in calls] or [np.zeros((0, 1))])
    return rows[rows != UNMATCHED], given[rows != UNMATCHED]


def _convert_bounds(stored: list[tuple[Array, Array]], table: Array, bounds: Array) -> Array | None:
    """The bounds of the space in the units of the stored actions; None where no scale and offset lead there."""
    if not stored:
        return None
    rows, given = (np.concatenate(each) for each in zip(*stored, strict=True))
    known = rows != UNMATCHED
    if known.sum() < FEWEST:
        return None
    found = np.empty_like(bounds, np.float64)
    for place, (real, kept) in enumerate(zip(table[rows[known]].T, given[known].astype(np.float64).T, strict=True)):
        lines = np.stack([real, np.ones_like(real)], axis=1)
        factors, *_ = np.linalg.lstsq(lines, kept, rcond=1e-9)
        if np.ptp(real) == 0.0 or np.abs(kept - lines @ factors).max() > EXACTLY * max(np.ptp(kept), 1e-30):
            return None
        found[:, place] = factors[0] * bounds[:, place] + factors[1]
    return np.sort(found, axis=0)


def _are_beyond(actions: Array, bounds: Array) -> Array:
    """(n,) whether some dimension of an action lies well beyond its bounds."""
    more = BEYOND * (bounds[1] - bounds[0])
    return np.asarray(np.any((actions < bounds[0] - more) | (actions > bounds[1] + more), axis=1))
