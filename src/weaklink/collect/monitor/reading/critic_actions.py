"""The units of actions along their way: the environment's, those a critic learns with, and those it is asked about.

A trainer may store actions in any units. The bounds of the environment's space, in those of the stored rows, are then
the bounds of everything that the critic may be asked about.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from weaklink.base.evidence.recovered import OTHER_UNITS, OUTSIDE_SPACE, RecoveredFlaw
from weaklink.base.evidence.rollout import Array
from weaklink.base.evidence.update import UNMATCHED, UpdateReading
from weaklink.collect.monitor.reading.tape_rows import TakenActions, find_following

OF_UNITS = (OTHER_UNITS, OUTSIDE_SPACE)

FEWEST = 64
"""Actions that must tell."""

OFTEN = 0.1
"""The share of actions beyond the bounds from which on it is no matter of rounding or of a few draws."""

BEYOND = 0.1
"""How far beyond the bounds, as a share of the range, an action counts."""

EXACTLY = 1e-4
"""What a scale and an offset may leave of the range of an action."""


def find_unit_flaws(reading: UpdateReading, taken: TakenActions) -> tuple[tuple[RecoveredFlaw, ...], bool]:
    """Flaws of actors that climb a critic in a bounded space, and whether there is such an actor."""
    bounds = reading.tape.bounds
    climbs = any(call.climbed for call in reading.calls)
    if taken.discrete or not climbs or bounds is None or bounds.shape[1] != taken.table.shape[1]:
        return (), False
    if not np.isfinite(bounds).all() or not np.all(bounds[0] < bounds[1]):
        return (), False
    outside = tuple(_find_outside(reading.tape.environment, taken.table, bounds))
    return outside or tuple(_find_other(reading, taken, bounds)), True


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
        asked = [call.made for call in reading.of_head(head) if call.climbed and call.made is not None]
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
