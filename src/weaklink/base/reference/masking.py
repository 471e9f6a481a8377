"""Means and normalisation over the entries that count, and the usual ways to get them wrong.

Arrays are (B, T): a row a sequence; `mask` is true where an entry counts.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from weaklink.base.reference.discounting import Array, Flags, Variants


def masked_mean(values: Array, mask: Flags) -> Array:
    """The mean over all entries that count."""
    return np.asarray(np.sum(values * mask) / np.sum(mask))


def row_means(values: Array, mask: Flags) -> Array:
    """The mean over the entries of each row that count; not a number where none does."""
    counts = np.sum(mask, axis=1)
    return np.where(counts > 0, np.sum(values * mask, axis=1) / np.maximum(counts, 1), np.nan)


def normalise(values: Array, mask: Flags, *, sample: bool = False, eps: float = 1e-8) -> Array:
    """Values with mean zero and deviation one over the entries that count; the others are not a number."""
    counting = values[mask]
    if len(counting) < 2:
        return np.full(values.shape, np.nan)
    scale = counting.std(ddof=int(sample)) + eps
    return np.where(mask, (values - counting.mean()) / scale, np.nan)


def _over(axis: int | None) -> Callable[..., Array]:
    """The mean over the whole length, padding counted as zeros."""

    def wrong(values: Array, mask: Flags) -> Array:
        return np.asarray(np.mean(values * mask, axis=axis))

    return wrong


MASKED_MEAN_VARIANTS: Variants = {
    "mask applied after the mean": (_over(None), _over(1)),
    "mask ignored": (
        lambda values, mask: np.asarray(np.mean(values)),
        lambda values, mask: np.asarray(np.mean(values, axis=1)),
    ),
    "mask inverted": (
        lambda values, mask: masked_mean(values, ~mask) if (~mask).any() else np.asarray(np.nan),
        lambda values, mask: row_means(values, ~mask),
    ),
    "mean over the batch instead of the tokens": (lambda values, mask: row_means(values.T, mask.T),),
    "padding outside of the sum but inside of the count": (
        lambda values, mask: np.asarray(np.sum(values) / np.sum(mask)),
        lambda values, mask: np.where(
            mask.any(axis=1), np.sum(values, axis=1) / np.maximum(np.sum(mask, axis=1), 1), np.nan
        ),
    ),
}


def _scaled(values: Array, mask: Flags, mean: Array, scale: Array) -> Array:
    return np.where(mask, (values - mean) / (scale + 1e-8), np.nan)


def _with_padding(values: Array, mask: Flags) -> Array:
    return _scaled(values, mask, np.asarray(values.mean()), np.asarray(values.std()))


def _with_zeros(values: Array, mask: Flags) -> Array:
    return _with_padding(values * mask, mask)


def _mean_alone_masked(values: Array, mask: Flags) -> Array:
    return _scaled(values, mask, masked_mean(values, mask), np.asarray(values.std()))


def _each_row(values: Array, mask: Flags) -> Array:
    if values.shape[1] < 2:
        return np.full(values.shape, np.nan)
    return np.stack([normalise(row, counts) for row, counts in zip(values, mask, strict=True)])


def _each_column(values: Array, mask: Flags) -> Array:
    return _each_row(values.T, mask.T).T if len(values) > 1 else np.full(values.shape, np.nan)


def _of(change: Callable[[Array, float, float], Array]) -> Callable[..., Array]:
    """Another way to scale, from the entries that count, their mean and their deviation."""

    def wrong(values: Array, mask: Flags) -> Array:
        counting = values[mask]
        if len(counting) < 2:
            return np.full(values.shape, np.nan)
        return np.where(mask, change(values, float(counting.mean()), float(counting.std())), np.nan)

    return wrong


NORMALISED_VARIANTS: Variants = {
    "statistics include padding": (_with_padding, _with_zeros, _mean_alone_masked),
    "normalised over the wrong axis": (_each_row, _each_column),
    "mean not subtracted": (_of(lambda values, mean, std: values / (std + 1e-8)),),
    "not scaled": (_of(lambda values, mean, std: values - mean),),
    "divided by the variance": (_of(lambda values, mean, std: (values - mean) / (std**2 + 1e-8)),),
    "mean subtracted after the division": (_of(lambda values, mean, std: values / (std + 1e-8) - mean),),
    "sign flipped": (_of(lambda values, mean, std: -(values - mean) / (std + 1e-8)),),
}
