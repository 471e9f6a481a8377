"""Gradients and steps: their size, how noisy they are, and which units never fire."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import sqrt
from typing import Any

import numpy as np

from weaklink.base.evidence.model import Parameter
from weaklink.collect.monitor.measures.numbers import Array, make_sample

NAN = float("nan")


def compute_gradient_statistics(gradients: Iterable[Any]) -> dict[str, float]:
    """Largest absolute entry, mean square and norm of a gradient given as arrays, one a parameter."""
    size = _measure_size(gradients)
    if size is None:
        return {}
    largest, squares, count = size
    return {
        "optimizer.gradient_abs_max": largest,
        "optimizer.gradient_mean_square": squares / count,
        "optimizer.gradient_norm": sqrt(squares),
    }


@np.errstate(all="ignore")
def step_statistics(before: Sequence[Any], after: Sequence[Any]) -> dict[str, float]:
    """Largest absolute and mean square change of parameters, and the norm of the change over theirs."""
    old = [np.asarray(each, np.float64) for each in before]
    new = [np.asarray(each, np.float64) for each in after]
    if [each.shape for each in old] != [each.shape for each in new]:
        return {}
    size, moved = _measure_size(old), _measure_size(one - other for one, other in zip(new, old, strict=True))
    if size is None or moved is None:
        return {}
    found = {"optimizer.step_abs_max": moved[0], "optimizer.step_mean_square": moved[1] / moved[2]}
    if size[1] != 0.0:
        found["optimizer.parameter_change"] = sqrt(moved[1] / size[1])
    return found


def _measure_size(arrays: Iterable[Any]) -> tuple[float, float, int] | None:
    """Largest absolute entry, sum of squares and count; nan where an entry is no number, None where there is none."""
    largest, squares, count = 0.0, 0.0, 0
    for array in arrays:
        numbers = make_sample(array)
        if numbers is None:
            continue
        largest = max(largest, numbers.size)
        squares += float((numbers.sample**2).mean()) * numbers.count if numbers.finite else NAN
        count += numbers.count
    if count == 0:
        return None
    return (NAN if squares != squares else largest), squares, count


def typical_change(parameters: Iterable[Parameter]) -> float | None:
    """By how much the typical weight moved, relative to its tensor: the median of the tensors, each as heavy as large.

    Small tensors that begin near zero (biases, heads) move many times their own norm in a healthy update; a mean would
    be theirs alone.
    """
    learning = [each for each in parameters if each.trainable and each.in_optimizer is not False]
    known = [(each.changed, each.size) for each in learning if each.changed is not None]
    if not known:
        return None
    changes, sizes = np.array([one for one, _ in known], float), np.array([size for _, size in known], float)
    if not np.isfinite(changes).all():
        return NAN
    order = np.argsort(changes, kind="stable")
    heavy = np.cumsum(sizes[order])
    return float(changes[order][np.searchsorted(heavy, heavy[-1] / 2.0)])


class NoiseScale:
    """The gradient's simple noise scale, estimated over a run (McCandlish et al., 2018, appendix A).

    One minibatch says next to nothing, so signal and noise are averaged over all updates, each by itself, and divided
    at the end. Minibatches should come from one state of the parameters; where every one of them is followed by a step,
    what the steps change counts as noise.

    Args:
        memory: the weight of what came before at each update; 1 for an equal weight of all.
    """

    def __init__(self, memory: float = 1.0) -> None:
        self._memory = memory
        self._signal = 0.0
        self._noise = 0.0
        self._weight = 0.0

    def add(self, norms: Any, mean_norm: float, batch_size: float) -> None:
        """Takes an update.

        Args:
            norms: of the gradient of each minibatch.
            mean_norm: the norm of the mean of these gradients.
            batch_size: samples of a minibatch.
        """
        each = np.asarray(norms, np.float64).reshape(-1)
        if each.size < 2 or not batch_size > 0 or not (np.isfinite(each).all() and np.isfinite(mean_norm)):
            return
        large, small = float(mean_norm) ** 2, float((each**2).mean())
        many = each.size * batch_size
        signal = (many * large - batch_size * small) / (many - batch_size)
        noise = (small - large) / (1.0 / batch_size - 1.0 / many)
        self._signal = self._memory * self._signal + signal
        self._noise = self._memory * self._noise + noise
        self._weight = self._memory * self._weight + 1.0

    @property
    def signal(self) -> float | None:
        """The squared norm of the true gradient."""
        return self._signal / self._weight if self._weight else None

    @property
    def noise(self) -> float | None:
        """The variance of the gradient of a single sample, summed over parameters."""
        return self._noise / self._weight if self._weight else None

    @property
    def scale(self) -> float | None:
        """Samples at which noise and signal are equal; None while the noise hides the signal altogether."""
        if not self._weight or self._signal <= 0.0:
            return None
        return max(0.0, self._noise / self._signal)


def dead_unit_share(activations: Any, axis: int = -1) -> float | None:
    """The share of units (along an axis) whose activation is 0 in every row; None where there is none.

    Meant for what comes out of a rectifier; a saturated tanh is not seen.
    """
    raw: Array = np.asarray(activations)
    if raw.size == 0 or raw.ndim == 0:
        return None
    units = np.moveaxis(raw, axis, -1).reshape(-1, raw.shape[axis])
    if not np.isfinite(units).all():
        return NAN
    return float((units == 0).all(axis=0).mean())
