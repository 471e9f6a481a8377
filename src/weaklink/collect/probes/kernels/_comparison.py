"""How far a result is from an answer, and how far it may be in its precision."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from weaklink.collect.probes.kernels._kernel import AnswerForm

Array = NDArray[Any]

TOLERANCE = {2: 2e-2, 4: 2e-4, 8: 1e-6}
"""Relative to the size of the answer, by the bytes of the result's numbers."""

GRAVE = 1e-2
"""A difference that no rounding makes: results that are off by less everywhere are not called wrong."""


UNCOMPARED = 0.6
"""The largest share of an answer that may be left out of the comparison where a mistake is named."""


def compute_tolerance(outputs: tuple[Array, ...], form: AnswerForm) -> float:
    """The largest difference that counts as the same."""
    widths = [TOLERANCE.get(each.dtype.itemsize, 1e-6) for each in outputs if each.dtype.kind == "f"]
    return max([*widths, form.slack], default=form.slack or 1e-6)


def measure_difference(outputs: tuple[Array, ...], form: AnswerForm) -> float:
    """The largest difference to an answer, relative to its size; infinite where shapes differ."""
    if len(outputs) != len(form.arrays):
        return float("inf")
    return max(_measure_gap(given, wanted) for given, wanted in zip(outputs, form.arrays, strict=True))


def telling(form: AnswerForm) -> bool:
    """Whether enough of an answer is compared at all for agreement to say something."""
    entries = np.concatenate([np.isnan(np.asarray(array, dtype=np.float64)).reshape(-1) for array in form.arrays])
    return float(np.mean(entries)) <= UNCOMPARED


def fits(outputs: tuple[Array, ...], form: AnswerForm) -> bool:
    """Whether the shapes are those of the answer."""
    if len(outputs) != len(form.arrays):
        return False
    return all(
        np.squeeze(given).shape == np.squeeze(wanted).shape for given, wanted in zip(outputs, form.arrays, strict=True)
    )


def _measure_gap(given: Array, wanted: Array) -> float:
    given, wanted = np.squeeze(given).astype(np.float64), np.squeeze(np.asarray(wanted, dtype=np.float64))
    if given.shape != wanted.shape:
        return float("inf")
    if np.isfinite(wanted).all() and np.isfinite(given).all():
        return _measure_relative_gap(given, wanted)
    broken, compared = np.isinf(wanted), np.isfinite(wanted)
    if np.any(np.isfinite(given[broken])) or not np.all(np.isfinite(given[compared])):
        return float("inf")
    return _measure_relative_gap(given[compared], wanted[compared])


def _measure_relative_gap(given: Array, wanted: Array) -> float:
    if not wanted.size:
        return 0.0
    return float(np.abs(given - wanted).max()) / max(1.0, float(np.abs(wanted).max()))
