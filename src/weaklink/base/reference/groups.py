"""Advantages within groups of samples that share a prompt, and the usual ways to get them wrong.

`group` says which samples belong together. GRPO (Shao et al., 2024) centres and scales, Dr. GRPO (Liu et al., 2025)
centres alone, RLOO (Ahmadian et al., 2024) compares with the mean of the others.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from weaklink.base.reference.discounting import Array, Variants

Ints = NDArray[np.int64]


def compute_each_group(rewards: Array, group: Ints, compute: Callable[[Array], Array]) -> Array:
    """What a computation gives within each group, every result at the place of its sample."""
    result = np.zeros(len(rewards), dtype=np.float64)
    for number in set(group.tolist()):
        members = group == number
        result[members] = compute(rewards[members])
    return result


def centred(rewards: Array, group: Ints) -> Array:
    """Dr. GRPO: the reward less the mean of its group."""
    return compute_each_group(rewards, group, lambda own: own - own.mean())


def grpo(rewards: Array, group: Ints, *, sample: bool = False, eps: float = 1e-6) -> Array:
    """GRPO: centred and divided by the standard deviation of the group, that of a population or of a sample."""
    return compute_each_group(rewards, group, lambda own: (own - own.mean()) / (own.std(ddof=int(sample)) + eps))


def grpo_batch_scale(rewards: Array, group: Ints, *, sample: bool = False, eps: float = 1e-6) -> Array:
    """Centred within the group and divided by the standard deviation of the whole batch."""
    return np.asarray(centred(rewards, group) / (rewards.std(ddof=int(sample)) + eps))


def rloo(rewards: Array, group: Ints) -> Array:
    """RLOO: the reward less the mean of the others of its group."""
    return compute_each_group(rewards, group, lambda own: own - (own.sum() - own) / (len(own) - 1))


def interleave(group: Ints) -> Ints:
    """The groups that a reshape in the wrong order makes of blocks of equal size."""
    count = len(set(group.tolist()))
    return np.arange(len(group)) % count


def _within(compute: Callable[[Array], Array]) -> Callable[..., Array]:
    def wrong(rewards: Array, group: Ints) -> Array:
        return compute_each_group(rewards, group, compute)

    return wrong


def _scale(own: Array) -> float:
    return float(own.std()) + 1e-6


def _without_eps(own: Array) -> Array:
    spread = float(own.std())
    return np.full_like(own, np.inf) if spread < 1e-12 else (own - own.mean()) / spread


def _without_eps_sample(own: Array) -> Array:
    spread = float(own.std(ddof=1))
    return np.full_like(own, np.inf) if spread < 1e-12 else (own - own.mean()) / spread


def _whole_batch(rewards: Array, group: Ints) -> Array:
    return np.asarray((rewards - rewards.mean()) / _scale(rewards))


def _whole_batch_sample(rewards: Array, group: Ints) -> Array:
    return np.asarray((rewards - rewards.mean()) / (rewards.std(ddof=1) + 1e-6))


GROUP_VARIANTS: Variants = {
    "groups reshaped in the wrong order": (
        lambda rewards, group: centred(rewards, interleave(group)),
        lambda rewards, group: grpo(rewards, interleave(group)),
        lambda rewards, group: grpo(rewards, interleave(group), sample=True),
    ),
    "normalised over the whole batch": (
        _whole_batch,
        _whole_batch_sample,
        lambda rewards, group: rewards - rewards.mean(),
    ),
    "std without eps": (_within(_without_eps), _within(_without_eps_sample)),
    "mean not subtracted": (
        _within(lambda own: own / _scale(own)),
        _within(lambda own: own / (own.std(ddof=1) + 1e-6)),
    ),
    "divided by the variance": (
        _within(lambda own: (own - own.mean()) / (own.var() + 1e-6)),
        _within(lambda own: (own - own.mean()) / (own.var(ddof=1) + 1e-6)),
    ),
    "multiplied by the standard deviation": (_within(lambda own: (own - own.mean()) * own.std()),),
    "sign flipped": (
        lambda rewards, group: -centred(rewards, group),
        lambda rewards, group: -grpo(rewards, group),
        lambda rewards, group: -grpo(rewards, group, sample=True),
    ),
}

RLOO_VARIANTS: Variants = {
    "group mean including the sample itself": (centred,),
    "divided by the group size instead of one less": (
        _within(lambda own: own - (own.sum() - own) / len(own)),
        _within(lambda own: own - own.sum() / (len(own) - 1)),
    ),
    "groups reshaped in the wrong order": (lambda rewards, group: rloo(rewards, interleave(group)),),
    "baseline of the whole batch": (
        lambda rewards, group: rewards - (rewards.sum() - rewards) / max(len(rewards) - 1, 1),
        lambda rewards, group: rewards - rewards.mean(),
    ),
    "sum of the others instead of their mean": (_within(lambda own: own - (own.sum() - own)),),
    "sign flipped": (lambda rewards, group: -rloo(rewards, group),),
    "baseline left out": (lambda rewards, group: rewards.copy(),),
}
