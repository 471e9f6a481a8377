"""The losses of PPO (Schulman et al., 2017), one number a sample, and the usual ways to get them wrong."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from weaklink.base.reference.discounting import Array, Variants


def ppo_policy_loss(log_probs: Array, old_log_probs: Array, advantages: Array, low: float, high: float) -> Array:
    """The clipped surrogate as a loss; `low` and `high` are how far the ratio may go below and above one."""
    ratios = np.exp(log_probs - old_log_probs)
    return -np.minimum(ratios * advantages, np.clip(ratios, 1.0 - low, 1.0 + high) * advantages)


def value_loss(values: Array, returns: Array) -> Array:
    """The squared error of the critic."""
    return (values - returns) ** 2


def clipped_value_loss(values: Array, returns: Array, old_values: Array, clip: float) -> Array:
    """The larger of the squared errors of the value and of the value clipped around the old one."""
    clipped = old_values + np.clip(values - old_values, -clip, clip)
    return np.maximum((values - returns) ** 2, (clipped - returns) ** 2)


def huber(errors: Array) -> Array:
    """The Huber loss of width one."""
    size = np.abs(errors)
    return np.where(size < 1.0, 0.5 * errors**2, size - 0.5)


def _surrogate(loss: Callable[[Array, Array, float, float], Array]) -> Callable[..., Array]:
    """A loss from the ratio, the advantage and both clips."""

    def wrong(log_probs: Array, old_log_probs: Array, advantages: Array, low: float, high: float) -> Array:
        return loss(np.exp(log_probs - old_log_probs), advantages, low, high)

    return wrong


def _clipped(ratios: Array, low: float, high: float) -> Array:
    return np.clip(ratios, 1.0 - low, 1.0 + high)


def _of_ratio(change: Callable[[Array], Array]) -> Callable[[Array, Array, float, float], Array]:
    def loss(ratios: Array, advantages: Array, low: float, high: float) -> Array:
        return -np.minimum(change(ratios) * advantages, _clipped(change(ratios), low, high) * advantages)

    return loss


def _worse_of_each(ratios: Array, advantages: Array, low: float, high: float) -> Array:
    return -np.maximum(ratios * advantages, _clipped(ratios, low, high) * advantages)


POLICY_LOSS_VARIANTS: Variants = {
    "ratio inverted": (_surrogate(_of_ratio(lambda ratios: 1.0 / ratios)),),
    "clip minimum and maximum swapped": (_surrogate(_worse_of_each),),
    "ratio not clipped": (_surrogate(lambda ratios, advantages, low, high: -ratios * advantages),),
    "clipped term alone, no minimum": (
        _surrogate(lambda ratios, advantages, low, high: -_clipped(ratios, low, high) * advantages),
    ),
    "clipped on one side only": (
        _surrogate(lambda ratios, advantages, low, high: -np.minimum(ratios, 1.0 + high) * advantages),
        _surrogate(lambda ratios, advantages, low, high: -np.maximum(ratios, 1.0 - low) * advantages),
    ),
    "log-ratio used as ratio": (_surrogate(_of_ratio(np.log)),),
    "clip around zero instead of one": (
        _surrogate(
            lambda ratios, advantages, low, high: (
                -np.minimum(ratios * advantages, np.clip(ratios, -low, high) * advantages)
            )
        ),
    ),
    "sign flipped": (lambda *inputs: -ppo_policy_loss(*inputs),),
    "advantage left out": (_surrogate(lambda ratios, advantages, low, high: -_clipped(ratios, low, high)),),
    "log-prob times advantage, no ratio": (
        lambda log_probs, old_log_probs, advantages, low, high: -log_probs * advantages,
    ),
}


def _all_pairs(values: Array, returns: Array) -> Array:
    return np.asarray((values[:, None] - returns[None, :]) ** 2)


VALUE_LOSS_VARIANTS: Variants = {
    "broadcast (B, 1) against (B,)": (_all_pairs,),
    "error not squared": (lambda values, returns: values - returns, lambda values, returns: returns - values),
    "sign flipped": (lambda values, returns: -((values - returns) ** 2),),
    "square of the sum": (lambda values, returns: (values + returns) ** 2,),
}


def _around(centre: Array, values: Array, clip: float) -> Array:
    return centre + np.clip(values - centre, -clip, clip)


def _smaller(values: Array, returns: Array, old_values: Array, clip: float) -> Array:
    return np.minimum((values - returns) ** 2, (_around(old_values, values, clip) - returns) ** 2)


def _centre_is_new(values: Array, returns: Array, old_values: Array, clip: float) -> Array:
    clipped = values + np.clip(values - old_values, -clip, clip)
    return np.maximum((values - returns) ** 2, (clipped - returns) ** 2)


def _against_new(values: Array, returns: Array, old_values: Array, clip: float) -> Array:
    clipped = _around(old_values, values, clip)
    return np.maximum((values - returns) ** 2, (clipped - values) ** 2)


def _clip_as_bounds(values: Array, returns: Array, old_values: Array, clip: float) -> Array:
    return np.maximum((values - returns) ** 2, (np.clip(values, -clip, clip) - returns) ** 2)


def _around_returns(values: Array, returns: Array, old_values: Array, clip: float) -> Array:
    clipped = returns + np.clip(values - returns, -clip, clip)
    return np.maximum((values - returns) ** 2, (clipped - returns) ** 2)


CLIPPED_VALUE_LOSS_VARIANTS: Variants = {
    "value clip compares with new values": (_centre_is_new, _against_new),
    "minimum of both errors instead of the maximum": (_smaller,),
    "clipped error alone, no maximum": (
        lambda values, returns, old_values, clip: (_around(old_values, values, clip) - returns) ** 2,
    ),
    "clip used as bounds of the value": (
        _clip_as_bounds,
        lambda values, returns, old_values, clip: (np.clip(values, -clip, clip) - returns) ** 2,
    ),
    "error clipped instead of the value": (
        lambda values, returns, old_values, clip: np.clip(values - returns, -clip, clip) ** 2,
    ),
    "value not clipped": (
        lambda values, returns, old_values, clip: (values - returns) ** 2,
        _around_returns,
    ),
    "sign flipped": (lambda *inputs: -clipped_value_loss(*inputs),),
    "target is the old value": (lambda values, returns, old_values, clip: (values - old_values) ** 2,),
}
