"""Loops in a record of steps: ways back to where they began, and what a term pays along them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]

NEAR, NEAREST = 1.0, 0.25
"""How far apart two states may be in any column and still count as the same, in usual steps of that column.

A loop of one step must close to the second, longer ones to that times their length, up to the first. Where states
repeat exactly, they must.
"""

AROUND = 2.0
"""How far apart two places may be that count as one, in usual steps."""

FEWEST = 3
MOST_PLACES = 1000


@dataclass(frozen=True, slots=True)
class LoopSteps:
    """Steps one after the other: states in units of their spread, and numbered where they repeat."""

    here: Array
    there: Array
    before: Ints
    after: Ints
    terms: Array
    episode: Ints
    ends: Flags
    repeat: bool

    @property
    def square(self) -> float:
        """The mean square of the term."""
        return float(np.mean(self.terms**2))

    @property
    def usual(self) -> Array:
        """How far a usual step moves each column; of those that seldom move, next to nothing."""
        moves = np.abs(self.there - self.here)
        half = len(moves) // 2
        return np.asarray(np.maximum(np.partition(moves, half, axis=0)[half], 1e-6))


@dataclass(frozen=True, slots=True)
class Loops:
    """All loops of one length: where they start, and what they pay: plainly, discounted, and beyond any potential."""

    length: int
    starts: Ints
    plain: Array
    discounted: Array
    excess: Array


@dataclass(frozen=True, slots=True)
class PayingLoop:
    """A loop that pays, the best of several."""

    start: int
    length: int
    plain: float
    discounted: float


def find_loops(steps: LoopSteps, left: Array, gamma: float, longest: int, near: float = NEAR) -> Iterator[Loops]:
    """Every loop of at most `longest` steps, by length; `left` is what no potential explains of each step."""
    total, usual = len(steps.terms), steps.usual
    plain, discounted, excess = (np.zeros(total) for _ in range(3))
    for length in range(1, min(longest, total) + 1):
        reach = total - length + 1
        lasts = np.arange(length - 1, total)
        plain = plain[:reach] + steps.terms[lasts]
        discounted = discounted[:reach] + gamma ** (length - 1) * steps.terms[lasts]
        excess = excess[:reach] + gamma ** (length - 1) * left[lasts]
        closed = (steps.episode[:reach] == steps.episode[lasts]) & ~steps.ends[lasts]
        if steps.repeat:
            closed &= steps.before[:reach] == steps.after[lasts]
        else:
            gaps = np.max(np.abs(steps.here[:reach] - steps.there[lasts]) / usual, axis=1)
            closed &= gaps <= min(near, NEAREST * length)
        starts = np.flatnonzero(closed)
        yield Loops(length, starts, plain[starts], discounted[starts], excess[starts])


def find_paying_loop(
    steps: LoopSteps,
    left: Array,
    gamma: float,
    longest: int,
    clear: Callable[[int], float],
    *,
    starting: Flags | None = None,
    ending: Flags | None = None,
    near: float = NEAR,
) -> PayingLoop | None:
    """The loop that pays most a step, if the same place pays again in one episode.

    `starting` and `ending` say with which steps it may begin and end. A bonus that is paid once an episode pays for no
    loop.
    """
    best, rate, peaks = None, 0.0, []
    for found in find_loops(steps, left, gamma, longest, near):
        limit = clear(found.length)
        pays = (found.excess > limit) & (found.plain > limit) & (found.discounted > 0)
        if starting is not None:
            pays &= starting[found.starts]
        if ending is not None:
            pays &= ending[found.starts + found.length - 1]
        starts, excess = found.starts[pays], found.excess[pays]
        if not len(starts):
            continue
        window = steps.terms[starts[:, None] + np.arange(found.length)]
        peaks.append(starts + np.argmax(window, axis=1))
        if float(excess.max()) / found.length > rate:
            rate, place = float(excess.max()) / found.length, int(np.argmax(excess))
            plain, discounted = float(found.plain[pays][place]), float(found.discounted[pays][place])
            best = PayingLoop(int(starts[place]), found.length, plain, discounted)
    return best if peaks and _again(steps, np.concatenate(peaks)) else None


def find_idle_steps(steps: LoopSteps, longest: int) -> Flags:
    """The steps that start from where some loop pays nothing, or next to it."""
    starts = np.concatenate(
        [found.starts[found.plain == 0.0] for found in find_loops(steps, steps.terms, 1.0, longest)]
    )
    if not len(starts):
        return np.zeros(len(steps.terms), dtype=bool)
    places = np.sort(starts)
    places = places[np.append(True, np.diff(places) > 0)]
    rows = steps.here[places[:: max(1, len(places) // MOST_PLACES)]] / steps.usual
    nearest = [distances(piece, rows).min(axis=1) for piece in np.array_split(steps.here / steps.usual, 8)]
    return np.asarray(np.concatenate(nearest) <= AROUND)


def _again(steps: LoopSteps, peaks: Ints) -> bool:
    """Whether one place pays more than once in an episode, several times in all."""
    order = np.sort(peaks)
    places = order[np.append(True, np.diff(order) > 0)][:MOST_PLACES]
    if len(places) < FEWEST:
        return False
    same_episode = steps.episode[places][:, None] == steps.episode[places][None, :]
    if steps.repeat:
        near = steps.before[places][:, None] == steps.before[places][None, :]
    else:
        rows = steps.here[places] / steps.usual
        near = distances(rows, rows) <= AROUND
    return bool(np.count_nonzero(np.triu(same_episode & near, 1)) >= FEWEST - 1)


def distances(rows: Array, others: Array) -> Array:
    """The distance of each row to each of the others, as a root mean square over the columns."""
    squares = np.mean(rows**2, axis=1)[:, None] + np.mean(others**2, axis=1)[None, :]
    return np.asarray(np.sqrt(np.maximum(squares - 2.0 * (rows @ others.T) / rows.shape[1], 0.0)))
