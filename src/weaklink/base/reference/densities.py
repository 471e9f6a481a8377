"""Entropies and log-probabilities of the distributions that policies use, and the usual ways to get them wrong.

Actions lie along the last axis and are independent given the observation, so log-probabilities add up along it.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from weaklink.base.reference.discounting import Array, Variants
from weaklink.base.reference.divergences import log_softmax

HALF_LOG_TWO_PI = 0.5 * float(np.log(2.0 * np.pi))


def categorical_entropy(logits: Array) -> Array:
    """The entropy in nats, from logits along the last axis."""
    logs = log_softmax(logits)
    return np.asarray(-np.sum(np.exp(logs) * logs, axis=-1))


def gaussian_entropy(std: Array) -> Array:
    """The entropy of independent normal distributions, summed along the last axis."""
    return np.asarray(np.sum(0.5 + HALF_LOG_TWO_PI + np.log(std), axis=-1))


def normal(actions: Array, mean: Array, std: Array) -> Array:
    """The log-density of each number under its own normal distribution."""
    return np.asarray(-0.5 * ((actions - mean) / std) ** 2 - np.log(std) - HALF_LOG_TWO_PI)


def gaussian_log_prob(actions: Array, mean: Array, std: Array) -> Array:
    """The log-density of actions, summed along the last axis."""
    return np.asarray(np.sum(normal(actions, mean, std), axis=-1))


def log_squash(before: Array) -> Array:
    """The logarithm of the slope of tanh, in the form that does not run out of precision."""
    return np.asarray(2.0 * (np.log(2.0) - before - np.logaddexp(0.0, -2.0 * before)))


def squashed_log_prob(before: Array, mean: Array, std: Array) -> Array:
    """The log-density of tanh(before) where `before` is normal (Haarnoja et al., 2018, appendix C)."""
    return np.asarray(np.sum(normal(before, mean, std) - log_squash(before), axis=-1))


def _weighted(weights: Callable[[Array], Array], logs: Callable[[Array], Array]) -> Callable[..., Array]:
    def wrong(logits: Array) -> Array:
        return np.asarray(-np.sum(weights(logits) * logs(logits), axis=-1))

    return wrong


def _probabilities(logits: Array) -> Array:
    return np.exp(log_softmax(logits))


CATEGORICAL_ENTROPY_VARIANTS: Variants = {
    "entropy sign flipped": (lambda logits: -categorical_entropy(logits),),
    "logits used as log-probabilities": (_weighted(_probabilities, lambda logits: logits),),
    "mean over actions instead of the sum": (lambda logits: categorical_entropy(logits) / logits.shape[-1],),
    "log-probabilities not weighted": (_weighted(np.ones_like, log_softmax),),
    "log-probabilities weighted by themselves": (_weighted(log_softmax, log_softmax),),
    "softmax taken over the batch": (
        lambda logits: np.asarray(-np.sum(np.exp(log_softmax(logits.T)) * log_softmax(logits.T), axis=0)),
    ),
}

GAUSSIAN_ENTROPY_VARIANTS: Variants = {
    "entropy sign flipped": (lambda std: -gaussian_entropy(std),),
    "mean over actions instead of the sum": (lambda std: gaussian_entropy(std) / std.shape[-1],),
    "log std used as std": (lambda std: gaussian_entropy(np.where(np.log(std) > 0, np.log(std), np.nan)),),
    "std used as log std": (lambda std: np.asarray(np.sum(0.5 + HALF_LOG_TWO_PI + std, axis=-1)),),
    "variance used as std": (lambda std: gaussian_entropy(std**2),),
    "constant left out": (
        lambda std: np.asarray(np.sum(np.log(std), axis=-1)),
        lambda std: np.asarray(np.sum(0.5 + np.log(std), axis=-1)),
    ),
    "constant counted once for all dimensions": (
        lambda std: np.asarray(0.5 + HALF_LOG_TWO_PI + np.sum(np.log(std), axis=-1)),
    ),
}


def _log_prob(density: Callable[[Array, Array, Array], Array]) -> Callable[..., Array]:
    def wrong(actions: Array, mean: Array, std: Array) -> Array:
        return np.asarray(np.sum(density(actions, mean, std), axis=-1))

    return wrong


GAUSSIAN_LOG_PROB_VARIANTS: Variants = {
    "log-prob of the clipped action": (
        _log_prob(lambda actions, mean, std: normal(np.clip(actions, -1.0, 1.0), mean, std)),
    ),
    "log-prob of the squashed action": (_log_prob(lambda actions, mean, std: normal(np.tanh(actions), mean, std)),),
    "sign flipped": (_log_prob(lambda actions, mean, std: -normal(actions, mean, std)),),
    "mean over actions instead of the sum": (
        lambda actions, mean, std: gaussian_log_prob(actions, mean, std) / actions.shape[-1],
    ),
    "variance used as std": (_log_prob(lambda actions, mean, std: normal(actions, mean, std**2)),),
    "std used as variance": (_log_prob(lambda actions, mean, std: normal(actions, mean, np.sqrt(std))),),
    "log std used as std": (
        _log_prob(
            lambda actions, mean, std: (
                -0.5 * ((actions - mean) / np.log(std)) ** 2 - np.log(np.abs(np.log(std))) - HALF_LOG_TWO_PI
            )
        ),
    ),
    "std used as log std": (_log_prob(lambda actions, mean, std: normal(actions, mean, np.exp(std))),),
    "constant left out": (_log_prob(lambda actions, mean, std: normal(actions, mean, std) + HALF_LOG_TWO_PI),),
    "log std left out": (_log_prob(lambda actions, mean, std: normal(actions, mean, std) + np.log(std)),),
    "half left out of the square": (
        _log_prob(lambda actions, mean, std: normal(actions, mean, std) - 0.5 * ((actions - mean) / std) ** 2),
    ),
}

SQUASHED_LOG_PROB_VARIANTS: Variants = {
    "tanh correction missing": (gaussian_log_prob,),
    "tanh correction with the wrong sign": (
        _log_prob(lambda before, mean, std: normal(before, mean, std) + log_squash(before)),
    ),
    "log-prob of the squashed action": (
        _log_prob(lambda before, mean, std: normal(np.tanh(before), mean, std) - log_squash(before)),
        _log_prob(lambda before, mean, std: normal(np.tanh(before), mean, std)),
    ),
    "tanh taken twice in the correction": (
        _log_prob(lambda before, mean, std: normal(before, mean, std) - log_squash(np.tanh(before))),
    ),
    "correction of the mean instead of the action": (
        _log_prob(lambda before, mean, std: normal(before, mean, std) - log_squash(mean)),
    ),
    "correction not summed over the dimensions": (
        lambda before, mean, std: gaussian_log_prob(before, mean, std) - log_squash(before).mean(axis=-1),
    ),
    "mean over actions instead of the sum": (
        lambda before, mean, std: squashed_log_prob(before, mean, std) / before.shape[-1],
    ),
    "half of the tanh correction": (
        _log_prob(lambda before, mean, std: normal(before, mean, std) - 0.5 * log_squash(before)),
    ),
    "sign flipped": (lambda before, mean, std: -squashed_log_prob(before, mean, std),),
    "variance used as std": (lambda before, mean, std: squashed_log_prob(before, mean, std**2),),
}
