"""What a score depends on among samples with the same prompt and the same outcome."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from weaklink.base.evidence.samples import FIGURE, Samples
from weaklink.base.evidence.series import Array
from weaklink.base.stats.correlation import dot
from weaklink.judge.rules._draws import FEWEST_DRAWS, Hashes, find_steps, hash_columns, hash_draws
from weaklink.judge.rules._samples import convert_to_z, find_component_columns

# rows needed that have others to compare with
FEWEST = 50

# A quantity with at most so many values is held fixed exactly, others by linear regression
FEW_VALUES = 12

# deviations from a mean below this share of the largest value are rounding
ROUNDING = 1e-9

# completions of different prompts differ for more reasons, so an effect among them must be this much stronger
APART = 1.3

# the correlation with length from which on half of what rewards differ by is length
FOLLOWED = 0.7

# the correlation with a number from which on that is the reward in another unit
ONCE_MORE = 0.999

# above this share of the score's correlation with a feature the outcome may explain it
SERVED = 0.4


@dataclass(frozen=True, slots=True)
class ScoreEffect:
    """How a score correlates with a feature, other things being equal.

    `strength` is their correlation, `z` its size in standard errors between draws, `outcome` the correlation of the
    true outcome with the feature, and `paired` whether completions of one prompt were compared with each other.
    """

    strength: float
    z: float
    outcome: float
    rows: int
    paired: bool

    def bought(self, least: float, sure: float) -> bool:
        """Whether the feature is rewarded without serving the outcome.

        A score and an outcome that both measure quality with noise both correlate with its side effects. So the
        outcome must correlate with the feature far less than the score does.
        """
        strong = self.strength >= least * (1.0 if self.paired else APART)
        return strong and self.z >= sure and self.outcome <= SERVED * self.strength


def measure_effect(
    samples: Samples, score: str, feature: Array, outcome: str | None, held: Sequence[Array] = ()
) -> ScoreEffect | None:
    """How a column correlates with a feature among rows of one draw and one outcome; None where rows are too few."""
    fixed = [samples[outcome], *held] if outcome is not None else list(held)
    known = np.isfinite(samples[score]) & np.isfinite(feature)
    for column in fixed:
        known &= np.isfinite(column)
    if known.sum() < FEWEST:
        return None
    drawn, paired = _choose_groups(samples, known)
    exact = [column[known] for column in fixed if _has_few_values(column[known])]
    fitted = [column[known] for column in fixed if not _has_few_values(column[known])]
    cells = hash_columns(drawn, *exact)
    kept, means = _centre(cells, [samples[score][known], feature[known], *fitted])
    if kept.sum() < FEWEST:
        return None
    paid, shown = _regress_out(means[0], means[2:]), _regress_out(means[1], means[2:])
    strength, z = _estimate_slope(paid, shown, drawn[kept])
    served = 0.0
    if outcome is not None:
        _, (result, plain) = _centre(drawn, [samples[outcome][known], feature[known]])
        served = _correlate(result, plain)
    return ScoreEffect(strength, z, served, int(kept.sum()), paired)


def list_form_components(samples: Samples) -> list[Array]:
    """The reward components for format: they are rewarded on purpose, so they are held fixed as well."""
    return [np.nan_to_num(column) for _, column in find_component_columns(samples)]


def tell_followed(samples: Samples) -> str:
    """What rewards follow, for messages: a number that the rows give under a name of its own, or the length."""
    known = {f"their {name}": _follow(samples, column) for name, column in samples.columns(FIGURE)}
    known = {name: follows for name, follows in known.items() if follows < ONCE_MORE}
    if "length" in samples:
        known["the length of completions"] = _follow(samples, np.log1p(np.maximum(samples["length"], 0.0)))
    name = max(known, key=lambda each: known[each], default="")
    return f", and follow {name} ({known[name]:.2f})" if name and known[name] >= FOLLOWED else ""


def _follow(samples: Samples, column: Array) -> float:
    """How rewards correlate with a quantity; 0 where few rows have it."""
    known = np.isfinite(column) & np.isfinite(samples["reward"])
    if known.sum() < FEWEST:
        return 0.0
    paid, followed = samples["reward"][known], column[known]
    return _correlate(paid - paid.mean(), followed - followed.mean())


def _choose_groups(samples: Samples, known: np.ndarray) -> tuple[Hashes, bool]:
    """The groups within which rows are compared: draws where they have several rows, else training steps."""
    drawn = hash_draws(samples)[known]
    if len(np.unique(drawn)) <= len(drawn) * 0.6:
        return drawn, True
    steps = find_steps(samples)
    return hash_columns(np.zeros(len(drawn)) if steps is None else steps[known] + 0.0), False


def _has_few_values(column: Array) -> bool:
    """Whether a quantity takes few values; some of the rows are often enough to say no."""
    return len(np.unique(column[:2000])) <= FEW_VALUES and len(np.unique(column)) <= FEW_VALUES


def _centre(cells: Hashes, columns: list[Array]) -> tuple[np.ndarray, list[Array]]:
    """Which rows are not alone in their cell, and their columns minus the means of the cells."""
    _, codes, counts = np.unique(cells, return_inverse=True, return_counts=True)
    kept = counts[codes] > 1
    centred = []
    for column in columns:
        left = (column - (np.bincount(codes, column) / counts)[codes])[kept]
        left[np.abs(left) < ROUNDING * np.abs(column).max(initial=0.0)] = 0.0
        centred.append(left)
    return kept, centred


def _regress_out(column: Array, others: list[Array]) -> Array:
    """The residual of a column after linear regression on others."""
    if not others:
        return column
    base = np.stack(others, axis=1)
    scale = np.maximum(np.abs(base).max(axis=0, initial=0.0), 1e-300)
    share, *_ = np.linalg.lstsq(base / scale, column, rcond=None)
    freed: Array = column - (base / scale) @ share
    return freed


def _correlate(first: Array, second: Array) -> float:
    """The correlation of two centred columns; 0 where one does not vary beyond rounding."""
    size = float(np.sqrt(dot(first, first)) * np.sqrt(dot(second, second)))
    return dot(first, second) / size if 1e-12 < size < np.inf else 0.0


def _estimate_slope(score: Array, feature: Array, drawn: Hashes) -> tuple[float, float]:
    """Correlation and z of the slope, with standard errors clustered by draw."""
    strength = _correlate(score, feature)
    _, codes = np.unique(drawn, return_inverse=True)
    count = int(codes.max()) + 1 if len(codes) else 0
    power = dot(feature, feature)
    if not strength or not power:
        return strength, 0.0
    left = score - feature * (dot(score, feature) / power)
    if count >= FEWEST_DRAWS:
        error = float(np.sqrt((np.bincount(codes, feature * left) ** 2).sum()))
    else:
        error, count = float(np.sqrt(((feature * left) ** 2).sum())), len(feature)
    return strength, convert_to_z(dot(score, feature) / error if error else np.inf * strength, count)
