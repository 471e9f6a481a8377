"""Whether numbers agree with their recomputation: exactly, or up to a scale and an offset."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from weaklink.base.reference.discounting import Array, Flags, Variants
from weaklink.base.reference.remedies import OF_UPDATES, REMEDIES

# the rounding error of a sum of a few 32-bit numbers, relative to the largest of them
ROUNDING = 64 * float(np.finfo(np.float32).eps)

# differences below this share of the standard deviation do not count
VISIBLE = 1e-3

# of numbers that nothing reproduces, and what the share of rows that are off is called
UNKNOWN, ROWS_OFF = "match neither the recomputation nor any known mistake", "rows off"

# fewer rows fit a line, or a known mistake, by chance
FEWEST = 8

# squares of larger numbers overflow
TOO_LARGE = 1e100


@dataclass(frozen=True, slots=True)
class ComparedNumbers:
    """The numbers that the trainer used, which rows count, and by how much a number may be off."""

    used: Array
    counted: Flags
    allowed: float

    def matches(self, expected: Array) -> bool:
        """Whether every number that counts is as expected."""
        gaps = np.abs(self.used - expected)[self.counted]
        return bool(np.all(gaps <= self.allowed))

    def find_off(self, expected: Array) -> Flags:
        """The numbers that are not as expected."""
        return np.asarray((np.abs(self.used - expected) > self.allowed) & self.counted)

    def fit_line(self, expected: Array) -> tuple[float, float] | None:
        """Scale and offset that turn the expected numbers into those used; None where no line does."""
        known = self.counted & np.isfinite(expected)
        wanted, seen = expected[known], self.used[known]
        spread = float(np.std(wanted)) if wanted.size else 0.0
        if wanted.size < FEWEST or spread <= 0.0:
            return None
        centre = float(wanted.mean())
        scale = float(np.mean((wanted - centre) * (seen - seen.mean()))) / spread**2
        offset = float(seen.mean()) - scale * centre
        gaps = np.abs(seen - scale * wanted - offset)
        # in the units of the numbers used, since the scale applies to rounding errors too
        allowed = max(abs(scale) * self.allowed, ROUNDING * float(np.abs(seen).max(initial=0.0)))
        return (scale, offset) if scale != 0.0 and bool(np.all(gaps <= allowed)) else None


def compare(used: Array, expected: Array, counted: Flags, magnitude: float, horizon: float = 1.0) -> ComparedNumbers:
    """Sets the allowance from the spread of the right numbers and the rounding of 32-bit sums of that length."""
    spread = float(np.std(expected[counted])) if counted.any() else 0.0
    return ComparedNumbers(used, counted, VISIBLE * spread + ROUNDING * magnitude * horizon)


def find_reproducing(
    variants: Variants, inputs: tuple[object, ...], fits: Callable[[Array], bool], but: tuple[str, ...] = ()
) -> list[str]:
    """The names of the known mistakes that reproduce the numbers used."""
    found = []
    for name, ways in variants.items():
        if name not in but and any(fits(made) for made in _compute(ways, inputs)):
            found.append(name)
    return found


def _compute(ways: tuple[Callable[..., Array], ...], inputs: tuple[object, ...]) -> Iterator[Array]:
    for way in ways:
        with np.errstate(all="ignore"):
            made = np.asarray(way(*inputs))
        if np.isfinite(made).any():
            yield made


def minimise(distance: Callable[[float], float], low: float, high: float, points: int = 33) -> float:
    """The number with the smallest distance, by grids that get finer around the best point."""
    for _ in range(6):
        grid = np.linspace(low, high, points)
        best = int(np.argmin([distance(float(one)) for one in grid]))
        low, high = float(grid[max(0, best - 1)]), float(grid[min(points - 1, best + 1)])
        points = 9
    return (low + high) / 2


def describe_mistakes(names: list[str], rows: int) -> str:
    """Which known mistakes reproduce the numbers used, for messages."""
    return f"match a known mistake ({' or '.join(names[:2])}) in all {rows:,} rows"


def list_cures(names: list[str]) -> tuple[str, ...]:
    """The remedies of these mistakes, each once."""
    known = REMEDIES | OF_UPDATES | {"sign flipped": "Flip the sign: an advantage is the return minus the value."}
    return tuple(dict.fromkeys(known[name] for name in names if name in known))


def read_numbers(array: NDArray[np.generic] | float | None) -> Array | None:
    """An array in double precision; None where it is missing or not numeric."""
    if array is None:
        return None
    try:
        return np.asarray(array, dtype=np.float64)
    except (TypeError, ValueError):
        return None
