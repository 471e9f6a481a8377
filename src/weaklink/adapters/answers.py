"""What a model answers to observations, as arrays, and how far two answers are apart."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from weaklink.base.evidence.model import Sensitivity
from weaklink.base.evidence.series import Array
from weaklink.base.evidence.spaces import Column, Space, sample_space

ROWS = 64
"""Observations that a model is shown at a time."""

MOST_COLUMNS = 256
"""Columns that are moved one by one; of wider observations as many, evenly spread."""

TINY = 1e-12
HUGE = 1e6
"""Bounds further apart are none."""

RESOLUTION = 1e-6
"""A column that varies less, relative to its size, varies below what 32-bit numbers can show."""


class ModelAnswers(NamedTuple):
    """A row of policy outputs (logits, or means and standard deviations) and of values for each observation."""

    policy: Array
    value: Array | None


Asked = Callable[[Array], ModelAnswers]
"""Answers to flattened observations, a row each."""


def measure_gap(first: Array, second: Array) -> float:
    """The largest difference relative to the size of the outputs; what is not a number in both is the same in both."""
    if first.shape != second.shape:
        return float("inf")
    odd = ~(np.isfinite(first) & np.isfinite(second))
    if bool(np.any(odd & ~((first == second) | (np.isnan(first) & np.isnan(second))))):
        return float("inf")
    if bool(odd.all()):
        return 0.0
    return float(np.abs(np.where(odd, 0.0, first - second)).max() / _measure_size(np.where(odd, 0.0, first)))


def measure_gaps(first: ModelAnswers, second: ModelAnswers) -> tuple[float, float | None]:
    """The gaps of policy and value."""
    if first.value is None or second.value is None:
        return measure_gap(first.policy, second.policy), None
    return measure_gap(first.policy, second.policy), measure_gap(first.value, second.value)


def find_worst_gap(first: ModelAnswers, second: ModelAnswers) -> float:
    """The larger of the two gaps."""
    policy, value = measure_gaps(first, second)
    return max(policy, value or 0.0)


def _measure_size(outputs: Array) -> float:
    return max(float(np.sqrt(np.mean(outputs**2))), TINY)


def pick_rows(rows: Array, count: int = ROWS) -> Array:
    """At most so many rows, evenly spread."""
    return np.asarray(rows[np.linspace(0, len(rows) - 1, min(count, len(rows))).astype(int)])


def draw_observations(space: Space, count: int, seed: int) -> Array:
    """Observations drawn from the space, for want of real ones."""
    return sample_space(space, count, np.random.default_rng(seed))


def measure_sensitivity(asked: Asked, rows: Array, columns: tuple[Column, ...]) -> Sensitivity:
    """Moves one column after the other and looks at what becomes of the answers."""
    shown = pick_rows(rows)
    before = asked(shown)
    other, far = asked(np.roll(shown, 1, axis=0)), asked(_throw_far(shown, columns))
    moved = [place for place, column in enumerate(columns) if column.kind != "pixel"]
    if len(moved) > MOST_COLUMNS:
        moved = [moved[place] for place in np.linspace(0, len(moved) - 1, MOST_COLUMNS).astype(int)]
    spread = [_measure_spread(rows[:, place], columns[place]) for place in moved]
    policy, value = [], []
    for place, distance in zip(moved, spread, strict=True):
        after = asked(_move_column(shown, place, columns[place], distance)) if distance else before
        policy.append(_measure_change(before.policy, after.policy))
        if before.value is not None and after.value is not None:
            value.append(_measure_change(before.value, after.value))
    return Sensitivity(
        rows=len(shown),
        labels=tuple(_format_label(columns[place].label) for place in moved),
        spread=tuple(spread),
        policy=tuple(policy),
        value=None if before.value is None else tuple(value),
        policy_overall=_measure_change(before.policy, other.policy),
        value_overall=_measure_value_change(before, other),
        policy_far=_measure_change(before.policy, far.policy),
        value_far=_measure_value_change(before, far),
        varied=bool(np.any(shown != shown[0])),
    )


def _format_label(label: str) -> str:
    return f"observation{label}" if label[:1] in ("", "[") else label


def _measure_spread(values: Array, column: Column) -> float:
    if column.kind in ("category", "binary"):
        return 1.0 if column.high > column.low else 0.0
    spread = float(values.std())
    if spread <= RESOLUTION * max(float(np.abs(values).max()), 1.0e-3):
        return 0.0
    whole = spread > 0.0 and bool(np.all(values == np.round(values)))
    return max(1.0, round(spread)) if whole else spread


def _move_column(rows: Array, place: int, column: Column, distance: float) -> Array:
    moved = rows.copy()
    if column.kind in ("category", "binary"):
        choices = column.high - column.low + 1.0
        moved[:, place] = column.low + (moved[:, place] - column.low + 1.0) % choices
    else:
        moved[:, place] += distance
    return moved


def _throw_far(rows: Array, columns: tuple[Column, ...]) -> Array:
    """Observations far away: mirrored where there are bounds, ten spreads and more off where there are none."""
    low, high = (np.array([getattr(column, bound) for column in columns]) for bound in ("low", "high"))
    bounded = np.isfinite(low) & np.isfinite(high) & (high - low < HUGE)
    centre = np.where(bounded, low, 0.0) + np.where(bounded, high, 0.0)
    return np.where(bounded, centre - rows, rows + np.maximum(10.0 * rows.std(axis=0), 1.0))


def _measure_value_change(before: ModelAnswers, after: ModelAnswers) -> float | None:
    if before.value is None or after.value is None:
        return None
    return _measure_change(before.value, after.value)


def _measure_change(before: Array, after: Array) -> float:
    """The mean, over observations, of the change of the most changed output, relative to the size of the outputs."""
    return float(np.abs(after - before).reshape(len(before), -1).max(axis=1).mean() / _measure_size(before))
