"""Completions of a training that never was: columns with prompts that differ, groups, and a course over steps."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from weaklink.base.evidence.samples import Samples


@dataclass
class Training:
    """Steps of prompts, each drawn several times. Every column is a number a row."""

    steps: int = 40
    prompts: int = 6
    size: int = 6
    seed: int = 0
    rows: int = field(init=False)

    def __post_init__(self) -> None:
        self.rng = np.random.default_rng(self.seed)
        self.rows = self.steps * self.prompts * self.size
        self.group = np.repeat(np.arange(self.steps * self.prompts), self.size)
        self.step = np.repeat(np.arange(self.steps), self.prompts * self.size) * 10.0
        self.progress = self.step / max(self.step[-1], 1.0)
        self.hardness = self.rng.normal(0.0, 1.0, self.steps * self.prompts)[self.group]

    def ramp(self, first: float, last: float) -> np.ndarray:
        """From one level to another over training."""
        return first + (last - first) * self.progress

    def normal(self, level: Any, deviation: float) -> np.ndarray:
        """Around a level."""
        return level + self.rng.normal(0.0, deviation, self.rows)

    def share(self, level: Any, deviation: float = 0.1) -> np.ndarray:
        """Around a level, from 0 to 1."""
        return np.clip(self.normal(level, deviation), 0.0, 1.0)

    def chance(self, level: Any, *, hardness: float = 0.0) -> np.ndarray:
        """1 with this chance, else 0; prompts that are hard have it less often."""
        odds = (
            np.log(np.clip(level, 1e-6, 1 - 1e-6) / np.clip(1 - np.asarray(level), 1e-6, 1)) - hardness * self.hardness
        )
        return (self.rng.random(self.rows) < 1 / (1 + np.exp(-odds))).astype(float)

    def lengths(self, level: Any, spread: float = 0.25) -> np.ndarray:
        """Whole numbers around a level, prompts and rows differing by a factor."""
        return np.round(level * np.exp(spread * (self.rng.normal(0, 1, self.rows) + 0.5 * self.hardness)))

    def samples(self, **columns: Any) -> Samples:
        """These columns, with step and group unless they are None."""
        known = {"step": self.step, "group": self.group} | columns
        return Samples.of(**{name: column for name, column in known.items() if column is not None})


def tokens(samples: Samples) -> Samples:
    """The same with lengths counted in tokens."""
    return replace(samples, unit="tokens")


def against(samples: Samples, baseline: Samples) -> Samples:
    """The same with another set to compare with."""
    return replace(samples, baseline=baseline)
