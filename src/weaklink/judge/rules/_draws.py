"""Samples by draw. Completions of one prompt are correlated, so draws are counted and not rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from weaklink.base.evidence.samples import Ints, Samples
from weaklink.base.evidence.series import Array

# rows, and draws behind them, that a part of the samples needs: with fewer, means and errors say little
FEWEST_ROWS, FEWEST_DRAWS = 20, 5

# more rows do not improve an answer: whole draws are left out, always the same ones
MOST = 200_000

Hashes = NDArray[np.uint64]


def hash_columns(*columns: NDArray[np.generic]) -> Hashes:
    """A hash of each row over the columns (splitmix64)."""
    total = np.zeros(len(columns[0]), np.uint64)
    for column in columns:
        total = total * np.uint64(0x9E3779B97F4A7C15) + column.view(np.uint64)
        total ^= total >> np.uint64(30)
        total *= np.uint64(0xBF58476D1CE4E5B9)
        total ^= total >> np.uint64(27)
        total *= np.uint64(0x94D049BB133111EB)
        total ^= total >> np.uint64(31)
    return total


def hash_draws(samples: Samples) -> Hashes:
    """The draw of each row as a hash: its group, or its prompt at its step; else the row itself."""
    known = [samples.codes[name] for name in ("group", "prompt") if name in samples]
    if not known:
        return hash_columns(np.arange(len(samples), dtype=np.int64))
    alone = np.where(known[0] < 0, np.arange(len(samples), dtype=np.int64), np.int64(-1))
    steps = find_steps(samples)
    return hash_columns(*known, alone, *([] if steps is None else [steps + 0.0]))


def find_steps(samples: Samples) -> Array | None:
    """When each row was sampled: its training step, or else its policy version."""
    return next((samples[name] for name in ("step", "policy_version") if name in samples), None)


def select_complete(samples: Samples, *names: str, most: int = MOST) -> Samples:
    """The rows that have all these columns, thinned out by whole draws where there are very many."""
    kept = np.ones(len(samples), bool)
    for name in names:
        kept &= samples.codes[name] >= 0 if name in samples.codes else np.isfinite(samples[name])
    count = int(kept.sum())
    if count > most:
        kept &= hash_draws(samples) < np.uint64(most / count * 2**64)
    return samples if kept.all() else samples.where(kept)


def select_single_turns(samples: Samples) -> Samples:
    """The rows that are no trajectories: one answer, and no call."""
    for name, most in (("tool_calls", 0.0), ("turns", 1.0)):
        if name in samples:
            samples = samples.where(np.nan_to_num(samples[name]) <= most)
    return samples


def add_columns(samples: Samples, **columns: Array) -> Samples:
    """The same samples with additional columns."""
    return replace(samples, numbers={**samples.numbers, **columns})


def mark_samples(samples: Samples, name: str, make: Callable[[Samples], Array]) -> Samples:
    """The same samples and baseline with an additional column."""
    baseline = None if samples.baseline is None else mark_samples(samples.baseline, name, make)
    return replace(add_columns(samples, **{name: make(samples)}), baseline=baseline)


def select_rows(samples: Samples, name: str, value: float) -> Samples:
    """The rows with this value, of the samples and of their baseline; all rows where the column is missing."""
    baseline = None if samples.baseline is None else select_rows(samples.baseline, name, value)
    rows = samples.where(samples[name] == value) if name in samples else samples
    return replace(rows, baseline=baseline)


@dataclass(frozen=True, eq=False)
class Draws:
    """A quantity by draw: its mean, and the prompt, difficulty and kind of prompt of the draw."""

    means: Array
    prompts: Ints | None
    difficulties: Array | None
    deviation: float
    kinds: Ints | None = None

    @property
    def enough(self) -> bool:
        """Whether there are enough draws to estimate how they differ."""
        return len(self.means) >= FEWEST_DRAWS

    @property
    def mean(self) -> float:
        """The mean over draws."""
        return float(self.means.mean())

    @property
    def error(self) -> float:
        """The standard error of that mean; infinite for a single draw."""
        return float(self.means.std(ddof=1) / len(self.means) ** 0.5) if len(self.means) > 1 else np.inf


def average_by_draw(samples: Samples, name: str) -> Draws | None:
    """A column by draw; None where too few rows have it."""
    rows = np.isfinite(samples[name]) if name in samples else np.zeros(0, bool)
    if rows.sum() < FEWEST_ROWS:
        return None
    column = samples[name][rows]
    _, first, codes = np.unique(hash_draws(samples)[rows], return_index=True, return_inverse=True)
    counts = np.bincount(codes)
    prompts = samples.codes["prompt"][rows][first] if "prompt" in samples else None
    difficulties = samples["difficulty"][rows][first] if "difficulty" in samples else None
    kinds = samples.codes["kind"][rows][first] if "kind" in samples else None
    made = Draws(np.bincount(codes, column) / counts, prompts, difficulties, float(column.std()), kinds)
    return made if made.enough else None
