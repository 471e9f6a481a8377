"""Continuous actions beside their space and the policy that they were drawn from: what never reaches the environment.

A density has no atoms. Where the smallest or the largest action of a dimension comes back to the last digit, actions
were clipped there, and that should be at the bound of the space. How far actions lie from a line in the policy's means
is how much is tried.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from weaklink.base.evidence.flaw_kinds import CLIPPED_INSIDE, HARDLY_DRAWN, ONE_SIDED_ACTIONS
from weaklink.base.evidence.recovered import RecoveredFlaw
from weaklink.base.evidence.rollout import Array
from weaklink.base.evidence.update import UpdateReading
from weaklink.collect.monitor.reading.lines import fit_column_lines
from weaklink.collect.monitor.reading.tape_rows import TakenActions, read_acting

OF_ACTIONS = (CLIPPED_INSIDE, HARDLY_DRAWN, ONE_SIDED_ACTIONS)

FEWEST = 64
"""Actions that tell how they are spread."""

NEWEST = 256
"""Actions that are looked at for clipping, the newest: many trainers begin with random ones of the whole space."""

OFTEN = 0.05
"""The share of actions at one and the same number from which on they were clipped there and it matters."""

DIFFERENT = 0.5
"""The share of different numbers among all other actions from which on they were drawn from a density."""

INSIDE = 0.1
"""How far inside the space, as a share of its range, a clip must lie to be a wrong one."""

EARLY, LEAST = 3, 0.005
"""Updates after which a policy may have become certain, and the spread around the means, as a share of the range,
below which hardly anything is tried: a fiftieth of what the least noisy of usual trainers begin with."""

HALF, SELDOM, AROUND_ZERO = 0.35, 0.1, 0.01
"""The share of actions at one bound, and at the other, of a policy that has not learned and whose centre lies at the
first; and how far the middle of such a space may lie from 0, as a share of its range: a throttle goes from 0 up."""

FRESH = 0.5
"""The root mean square of the means of a policy that has not learned yet, at the most."""


def find_action_flaws(reading: UpdateReading, taken: TakenActions) -> tuple[tuple[RecoveredFlaw, ...], bool]:
    """Flaws of continuous actions in a bounded space, and whether there are any such actions."""
    bounds = reading.tape.bounds
    if taken.discrete or bounds is None or bounds.shape[1] != taken.table.shape[1] or len(taken.table) < FEWEST:
        return (), False
    if not np.isfinite(bounds).all() or not np.all(bounds[0] < bounds[1]) or not np.isfinite(taken.table).all():
        return (), False
    clipped = list(_find_clipped(reading.tape.environment, taken.table[-NEWEST:], bounds))
    one_sided = () if clipped else _find_one_sided(reading, taken.table, bounds)
    return (*clipped[:1], *one_sided, *_find_narrow(reading, taken.table, bounds)), True


def _find_clipped(environment: str, table: Array, bounds: Array) -> Iterator[RecoveredFlaw]:
    """Dimensions whose smallest or largest actions are one number inside the bounds."""
    for column, (low, high) in zip(table.T, bounds.T, strict=True):
        for end, bound in ((column.min(), low), (column.max(), high)):
            there = column == end
            others = column[~there]
            drawn = len(others) and len(np.unique(others)) >= DIFFERENT * len(others)
            if drawn and there.mean() >= OFTEN and abs(end - bound) >= INSIDE * (high - low) and low < end < high:
                count = int(there.sum())
                yield RecoveredFlaw(
                    kind=CLIPPED_INSIDE, head=environment, count=count, of=len(column), number=float(end),
                    other=float(bound),
                )  # fmt: skip


def _find_one_sided(reading: UpdateReading, table: Array, bounds: Array) -> Iterator[RecoveredFlaw]:
    """A dimension that goes both ways of 0 and in which a fresh policy is clipped at one bound half of the time."""
    if reading.update > 1 or not _is_fresh(reading, table.shape[1]):
        return
    for column, (low, high) in zip(table.T, bounds.T, strict=True):
        inside = column[(column > low) & (column < high)]
        drawn = len(inside) and len(np.unique(inside)) >= DIFFERENT * len(inside)
        if not drawn or abs(low + high) > AROUND_ZERO * (high - low):
            continue
        for bound, other in ((low, high), (high, low)):
            count = int(np.sum(column == bound))
            if count >= HALF * len(column) and np.mean(column == other) <= SELDOM:
                yield RecoveredFlaw(
                    kind=ONE_SIDED_ACTIONS, head=reading.tape.environment, count=count, of=len(column),
                    number=float(bound), other=float(np.sum(column == other)),
                )  # fmt: skip
                return


def _is_fresh(reading: UpdateReading, dimensions: int) -> bool:
    """Whether some policy gave means near 0 when it acted, as one does that has not learned yet."""
    answers = [read_acting(reading, head) for head in reading.heads]
    means = [
        each[:, :dimensions] for each in answers if each is not None and each.shape[1] in (dimensions, 2 * dimensions)
    ]
    return any(np.sqrt(np.nanmean(each**2)) <= FRESH for each in means if np.isfinite(each).any())


def _find_narrow(reading: UpdateReading, table: Array, bounds: Array) -> Iterator[RecoveredFlaw]:
    """A policy around whose means hardly anything is tried, of the first updates."""
    dimensions, extent = table.shape[1], bounds[1] - bounds[0]
    found: list[tuple[float, str, int]] = []
    for head in reading.heads if reading.update <= EARLY else ():
        acting = read_acting(reading, head)
        if acting is None or acting.shape[1] not in (dimensions, 2 * dimensions):
            continue
        known = np.isfinite(acting).all(axis=1)
        if known.sum() >= FEWEST:
            means, actions = acting[known][:, :dimensions], table[known]
            around = _measure_around(means, actions)
            if np.all(around < LEAST * extent):
                found.append((float(around.max()), head, int(known.sum())))
    for spread, head, count in sorted(found)[:1]:
        yield RecoveredFlaw(
            kind=HARDLY_DRAWN, head=head, count=count, of=count, number=spread, other=float(extent.max())
        )


def _measure_around(means: Array, actions: Array) -> Array:
    """The spread of actions around lines in the means, in whatever units these are, by dimension."""
    lines = fit_column_lines(means, actions)
    return np.asarray(np.std(actions - lines.scales * means, axis=0))
