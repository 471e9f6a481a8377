"""How far the policy moved: KL, probability ratios and how many of them were clipped.

`before` are log-probabilities of taken actions under the policy that collected them, `after` those under the policy
that an update made. The estimators k1 and k3 are Schulman's (2020).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from weaklink.collect.monitor.measures.numbers import Array, make_sample, make_sample_pair

NAN = float("nan")


@np.errstate(all="ignore")
def kl(before: Any, after: Any) -> float | None:
    """KL(before || after) by k3: never negative."""
    moved = _compute_log_ratio(before, after)
    return None if moved is None else _compute_kl(moved)


@np.errstate(all="ignore")
def kl_first_order(before: Any, after: Any) -> float | None:
    """KL(before || after) by k1, the mean of -log ratio: of either sign, as samples fall."""
    moved = _compute_log_ratio(before, after)
    return None if moved is None else float(-moved.mean())


@np.errstate(all="ignore")
def categorical_kl(before: Any, after: Any) -> float | None:
    """KL(before || after), exact, from logits or log-probabilities along the last axis; the mean over rows.

    Actions that are ruled out (a logit of minus infinity) count nothing; it is infinite where only `after` rules one
    out.
    """
    first, second = (np.asarray(logits, np.float64) for logits in (before, after))
    if first.size == 0 or first.shape != second.shape:
        return None
    left, right = _log_softmax(first), _log_softmax(second)
    chances = np.exp(left)
    rows = np.where(chances == 0.0, 0.0, chances * (left - right)).sum(axis=-1)
    return float(rows.mean())


def _log_softmax(logits: Array) -> Array:
    shifted = logits - logits.max(axis=-1, keepdims=True)
    return np.asarray(shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True)))


def clip_fraction(before: Any, after: Any, clip_range: float) -> float | None:
    """The share of samples whose ratio lies further from 1 than the clip range."""
    return measure_policy_change(before, after, clip_range).get("policy.clip_fraction")


@np.errstate(all="ignore")
def measure_policy_change(before: Any, after: Any, clip_range: float | None = None) -> dict[str, float]:
    """KL, ratios and, where the clip range is known, the share that was clipped, by their names in the vocabulary."""
    moved = _compute_log_ratio(before, after)
    if moved is None:
        return {}
    ratio = np.exp(moved)
    weight = np.exp(moved - moved.max())
    found = {
        "policy.kl": _compute_kl(moved),
        "policy.ratio_mean": float(ratio.mean()),
        "policy.ratio_std": float(ratio.std()),
        "policy.ratio_min": float(ratio.min()),
        "policy.ratio_max": float(ratio.max()),
        "policy.effective_sample_share": float(weight.sum() ** 2 / (weight * weight).sum() / weight.size),
    }
    if clip_range is not None:
        found["policy.clip_range"] = float(clip_range)
        clipped = (np.abs(ratio - 1.0) > clip_range).mean() if np.isfinite(moved[0]) else NAN
        found["policy.clip_fraction"] = float(clipped)
    return found


def _compute_kl(moved: Array) -> float:
    return float(np.maximum(np.expm1(moved) - moved, 0.0).mean())


def _compute_log_ratio(before: Any, after: Any) -> Array | None:
    """log(after / before) of each sample; one nan where a log-probability is none."""
    pair = make_sample_pair(before, after)
    if pair is None:
        return None
    first, second = pair
    return second.sample - first.sample if first.finite and second.finite else np.array([NAN])


@np.errstate(all="ignore")
def measure_sampler_gap(sampled: Any, trained: Any, mask: Any = None) -> dict[str, float]:
    """How far the log-probabilities of the engine that sampled lie from the trainer's, over the tokens in the mask."""
    if mask is not None:
        counted = np.asarray(mask, bool)
        if counted.shape != np.shape(sampled) or counted.shape != np.shape(trained):
            return {}
        sampled, trained = np.asarray(sampled)[counted], np.asarray(trained)[counted]
    moved = _compute_log_ratio(sampled, trained)
    if moved is None:
        return {}
    return {
        "data.sampler_gap": float(np.abs(moved).mean()),
        "data.importance_ratio_max": float(np.exp(moved.max())),
    }


def log_prob_min(log_probs: Any) -> float | None:
    """The smallest log-probability of a taken action."""
    numbers = make_sample(log_probs)
    if numbers is None:
        return None
    return numbers.smallest if numbers.finite else NAN
