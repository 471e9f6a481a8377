"""Kullback-Leibler divergences: exact ones, and the estimators k1, k2 and k3 from samples (Schulman, 2020).

An estimator takes the log-probability under the policy that was sampled from, and under the other one: it estimates
KL(sampled || other).
"""

from __future__ import annotations

import numpy as np

from weaklink.base.reference.discounting import Array, Variants


def log_softmax(logits: Array) -> Array:
    """Logarithms of probabilities, from logits along the last axis."""
    with np.errstate(invalid="ignore"):  # what is not finite has no probability, which is NaN
        shifted = logits - logits.max(axis=-1, keepdims=True)
    return np.asarray(shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True)))


def k1(sampled: Array, other: Array) -> Array:
    """Unbiased, of either sign."""
    return sampled - other


def k2(sampled: Array, other: Array) -> Array:
    """Never negative, slightly biased."""
    return 0.5 * (sampled - other) ** 2


def k3(sampled: Array, other: Array) -> Array:
    """Never negative and unbiased."""
    return np.exp(other - sampled) - 1.0 - (other - sampled)


def categorical_kl(first: Array, second: Array) -> Array:
    """KL(first || second) from logits or log-probabilities along the last axis."""
    left, right = log_softmax(first), log_softmax(second)
    return np.asarray(np.sum(np.exp(left) * (left - right), axis=-1))


def gaussian_kl(mean: Array, std: Array, other_mean: Array, other_std: Array) -> Array:
    """KL(first || second) of independent normal distributions, summed along the last axis."""
    squares = (std**2 + (mean - other_mean) ** 2) / (2.0 * other_std**2)
    return np.asarray(np.sum(np.log(other_std / std) + squares - 0.5, axis=-1))


KL_ESTIMATE_VARIANTS: Variants = {
    "k1 with the wrong sign": (lambda sampled, other: other - sampled,),
    "KL reversed (k3)": (lambda sampled, other: k3(other, sampled),),
    "k3 with the wrong sign": (
        lambda sampled, other: -k3(sampled, other),
        lambda sampled, other: -k3(other, sampled),
    ),
    "k3 without its log term": (
        lambda sampled, other: np.exp(other - sampled) - 1.0,
        lambda sampled, other: np.exp(sampled - other) - 1.0,
    ),
    "k3 with the log term added": (
        lambda sampled, other: np.exp(other - sampled) - 1.0 + (other - sampled),
        lambda sampled, other: np.exp(sampled - other) - 1.0 + (sampled - other),
    ),
    "k3 without the minus one": (
        lambda sampled, other: np.exp(other - sampled) - (other - sampled),
        lambda sampled, other: np.exp(sampled - other) - (sampled - other),
    ),
    "k2 without the half": (lambda sampled, other: (sampled - other) ** 2,),
    "ratio instead of a divergence": (
        lambda sampled, other: np.exp(sampled - other),
        lambda sampled, other: np.exp(other - sampled),
    ),
    "log-prob times log-ratio": (lambda sampled, other: np.exp(sampled) * (sampled - other),),
}


def _unnormalised(first: Array, second: Array) -> Array:
    return np.asarray(np.sum(np.exp(log_softmax(first)) * (first - second), axis=-1))


def _average(first: Array, second: Array) -> Array:
    return np.asarray(categorical_kl(first, second) / first.shape[-1])


def _cross(first: Array, second: Array) -> Array:
    return np.asarray(-np.sum(np.exp(log_softmax(first)) * log_softmax(second), axis=-1))


def _log_ratio_alone(first: Array, second: Array) -> Array:
    return np.asarray(np.sum(log_softmax(first) - log_softmax(second), axis=-1))


CATEGORICAL_KL_VARIANTS: Variants = {
    "KL reversed": (lambda first, second: categorical_kl(second, first),),
    "sign flipped": (
        lambda first, second: -categorical_kl(first, second),
        lambda first, second: -categorical_kl(second, first),
    ),
    "logits used as log-probabilities": (_unnormalised,),
    "mean over actions instead of the sum": (_average,),
    "cross entropy instead of KL": (_cross,),
    "log-ratio not weighted by the probability": (_log_ratio_alone,),
}
