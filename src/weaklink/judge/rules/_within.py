"""What a score follows among samples that are alike in everything else: same prompt, same outcome."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from weaklink.base.evidence.samples import Samples
from weaklink.base.evidence.series import Array
from weaklink.judge.rules._draws import FEWEST_DRAWS, Hashes, draws, mixed, steps_of
from weaklink.judge.rules._samples import components, normal

FEWEST = 50
"""Rows that have others to be compared with."""

FEW_VALUES = 12
"""A quantity of so few values is held fixed exactly, one of more by a straight line."""

ROUNDING = 1e-9
"""Differences from a mean below this share of the largest value are rounding."""

APART = 1.3
"""Completions of different prompts differ for more reasons: what shows among them alone must be clearer."""


@dataclass(frozen=True, slots=True)
class Effect:
    """How a score goes with a feature, all that is held fixed being equal.

    `strength` is their correlation, `z` that in standard errors between draws, `outcome` the correlation of the true
    outcome with the feature, and `paired` whether completions of one prompt were compared with each other.
    """

    strength: float
    z: float
    outcome: float
    rows: int
    paired: bool

    def bought(self, least: float, sure: float) -> bool:
        """Whether the feature is paid for and does not serve the outcome.

        A score and an outcome that both see quality, each with noise of its own, go with whatever quality brings, so
        the outcome must go with the feature far less than the score does.
        """
        strong = self.strength >= least * (1.0 if self.paired else APART)
        return strong and self.z >= sure and self.outcome <= 0.4 * self.strength


def effect(
    samples: Samples, score: str, feature: Array, outcome: str | None, held: Sequence[Array] = ()
) -> Effect | None:
    """How a column goes with a feature among rows of one draw and one outcome; None where too few can be compared."""
    fixed = [samples[outcome], *held] if outcome is not None else list(held)
    known = np.isfinite(samples[score]) & np.isfinite(feature)
    for column in fixed:
        known &= np.isfinite(column)
    if known.sum() < FEWEST:
        return None
    drawn, paired = _frames(samples, known)
    exact = [column[known] for column in fixed if _few(column[known])]
    cells = mixed(drawn, *exact)
    wanted = [samples[score][known], feature[known], *(column[known] for column in fixed if not _few(column[known]))]
    kept, means = _centred(cells, wanted)
    if kept.sum() < FEWEST:
        return None
    paid, shown = _freed(means[0], means[2:]), _freed(means[1], means[2:])
    strength, z = _slope(paid, shown, drawn[kept])
    served = 0.0
    if outcome is not None:
        _, (result, plain) = _centred(drawn, [samples[outcome][known], feature[known]])
        served = _together(result, plain)
    return Effect(strength, z, served, int(kept.sum()), paired)


def forms(samples: Samples) -> list[Array]:
    """The reward components that speak of form: openly paid for, so they are held fixed as well."""
    return [np.nan_to_num(column) for _, column in components(samples)]


def _frames(samples: Samples, known: np.ndarray) -> tuple[Hashes, bool]:
    """What rows are compared within: their draw where draws have several rows, else their training step."""
    drawn = draws(samples)[known]
    if len(np.unique(drawn)) <= len(drawn) * 0.6:
        return drawn, True
    steps = steps_of(samples)
    return mixed(np.zeros(len(drawn)) if steps is None else steps[known] + 0.0), False


def _few(column: Array) -> bool:
    """Whether a quantity takes few values; a look at some of many rows is enough to say no."""
    return len(np.unique(column[:2000])) <= FEW_VALUES and len(np.unique(column)) <= FEW_VALUES


def _centred(cells: Hashes, columns: list[Array]) -> tuple[np.ndarray, list[Array]]:
    """Which rows have company in their cell, and the columns of those less the means of their cells."""
    _, codes, counts = np.unique(cells, return_inverse=True, return_counts=True)
    kept = counts[codes] > 1
    centred = []
    for column in columns:
        left = (column - (np.bincount(codes, column) / counts)[codes])[kept]
        left[np.abs(left) < ROUNDING * np.abs(column).max(initial=0.0)] = 0.0
        centred.append(left)
    return kept, centred


def _freed(column: Array, others: list[Array]) -> Array:
    """What is left of a column once others have explained what they can by a straight line."""
    if not others:
        return column
    base = np.stack(others, axis=1)
    scale = np.maximum(np.abs(base).max(axis=0, initial=0.0), 1e-300)
    share, *_ = np.linalg.lstsq(base / scale, column, rcond=None)
    freed: Array = column - (base / scale) @ share
    return freed


def _together(first: Array, second: Array) -> float:
    """The correlation of two columns that are centred already; 0 where one does not vary beyond rounding."""
    size = float(np.sqrt(first @ first) * np.sqrt(second @ second))
    return float(first @ second) / size if 1e-12 < size < np.inf else 0.0


def _slope(score: Array, feature: Array, drawn: Hashes) -> tuple[float, float]:
    """Correlation and z of the slope, with errors that let rows of one draw go together."""
    strength = _together(score, feature)
    _, codes = np.unique(drawn, return_inverse=True)
    count = int(codes.max()) + 1 if len(codes) else 0
    power = float(feature @ feature)
    if not strength or not power:
        return strength, 0.0
    left = score - feature * (float(score @ feature) / power)
    if count >= FEWEST_DRAWS:
        error = float(np.sqrt((np.bincount(codes, feature * left) ** 2).sum()))
    else:
        error, count = float(np.sqrt(((feature * left) ** 2).sum())), len(feature)
    return strength, normal(float(score @ feature) / error if error else np.inf * strength, count)
