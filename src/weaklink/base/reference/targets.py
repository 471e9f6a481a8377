"""Targets of temporal-difference learning: TD, Q, double Q, soft Q; and the usual ways to get them wrong.

One row a transition. Truncated transitions continue with the value of their own next observation, like all others that
did not terminate.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from weaklink.base.reference.discounting import Array, Flags, Variants


def td_target(rewards: Array, following: Array, terminated: Flags, truncated: Flags, gamma: float) -> Array:
    """The reward, and the discounted value of the next observation unless the episode terminated."""
    return rewards + gamma * np.where(terminated, 0.0, following)


def q_target(rewards: Array, next_q: Array, terminated: Flags, truncated: Flags, gamma: float) -> Array:
    """The target of Q-learning (Watkins, 1989), from a row of next action values for each transition."""
    return td_target(rewards, next_q.max(axis=1), terminated, truncated, gamma)


def double_q_target(
    rewards: Array, online: Array, target: Array, terminated: Flags, truncated: Flags, gamma: float
) -> Array:
    """The online network chooses, the target network judges (van Hasselt et al., 2016)."""
    return td_target(rewards, _chosen(target, online), terminated, truncated, gamma)


def soft_q_target(
    rewards: Array,
    first: Array,
    second: Array,
    log_probs: Array,
    terminated: Flags,
    truncated: Flags,
    gamma: float,
    alpha: float,
) -> Array:
    """The smaller of two critics and the entropy bonus of the next action (Haarnoja et al., 2018)."""
    return td_target(rewards, np.minimum(first, second) - alpha * log_probs, terminated, truncated, gamma)


def _chosen(judging: Array, choosing: Array) -> Array:
    return np.asarray(np.take_along_axis(judging, choosing.argmax(axis=1)[:, None], axis=1)[:, 0])


def _done_ignored(rewards: Array, following: Array, terminated: Flags, truncated: Flags, gamma: float) -> Array:
    return rewards + gamma * following


def _inverted(rewards: Array, following: Array, terminated: Flags, truncated: Flags, gamma: float) -> Array:
    return rewards + gamma * following * terminated


def _truncation(rewards: Array, following: Array, terminated: Flags, truncated: Flags, gamma: float) -> Array:
    return rewards + gamma * np.where(terminated | truncated, 0.0, following)


def _undiscounted(rewards: Array, following: Array, terminated: Flags, truncated: Flags, gamma: float) -> Array:
    return td_target(rewards, following, terminated, truncated, 1.0)


def _discounted_twice(rewards: Array, following: Array, terminated: Flags, truncated: Flags, gamma: float) -> Array:
    return td_target(rewards, following, terminated, truncated, gamma**2)


def _reward_masked(rewards: Array, following: Array, terminated: Flags, truncated: Flags, gamma: float) -> Array:
    return ~terminated * (rewards + gamma * following)


def _reward_discounted(rewards: Array, following: Array, terminated: Flags, truncated: Flags, gamma: float) -> Array:
    return gamma * (rewards + np.where(terminated, 0.0, following))


def _minus(rewards: Array, following: Array, terminated: Flags, truncated: Flags, gamma: float) -> Array:
    return rewards - gamma * np.where(terminated, 0.0, following)


def _reward_left_out(rewards: Array, following: Array, terminated: Flags, truncated: Flags, gamma: float) -> Array:
    return gamma * np.where(terminated, 0.0, following)


def _shifted(rewards: Array, following: Array, terminated: Flags, truncated: Flags, gamma: float) -> Array:
    return td_target(rewards, following, np.roll(terminated, 1), truncated, gamma)


def _shifted_back(rewards: Array, following: Array, terminated: Flags, truncated: Flags, gamma: float) -> Array:
    return td_target(rewards, following, np.roll(terminated, -1), truncated, gamma)


def _across(rewards: Array, following: Array, terminated: Flags, truncated: Flags, gamma: float) -> Array:
    return np.asarray(rewards[:, None] + gamma * np.where(terminated, 0.0, following)[None, :])


def _across_masked(rewards: Array, following: Array, terminated: Flags, truncated: Flags, gamma: float) -> Array:
    return np.asarray(rewards[:, None] + gamma * ~terminated[:, None] * following[None, :])


def _across_back(rewards: Array, following: Array, terminated: Flags, truncated: Flags, gamma: float) -> Array:
    return _across(rewards, following, terminated, truncated, gamma).T + 0.0


def _rewards_across(rewards: Array, following: Array, terminated: Flags, truncated: Flags, gamma: float) -> Array:
    return np.asarray(rewards[None, :] + gamma * ~terminated[None, :] * following[:, None])


TD_VARIANTS: Variants = {
    "done ignored": (_done_ignored,),
    "mask inverted": (_inverted,),
    "truncation treated as termination": (_truncation,),
    "done mask shifted by one": (_shifted, _shifted_back),
    "gamma ignored": (_undiscounted,),
    "gamma applied twice": (_discounted_twice,),
    "reward masked at the end too": (_reward_masked,),
    "reward discounted too": (_reward_discounted,),
    "sign of the bootstrap flipped": (_minus,),
    "reward left out": (_reward_left_out,),
    "broadcast (B, 1) against (B,)": (_across, _across_masked, _across_back, _rewards_across),
}


def _q_with(choose: Callable[[Array], Array]) -> Callable[..., Array]:
    def wrong(rewards: Array, next_q: Array, terminated: Flags, truncated: Flags, gamma: float) -> Array:
        return td_target(rewards, choose(next_q), terminated, truncated, gamma)

    return wrong


def _over_batch(next_q: Array) -> Array:
    best = next_q.max(axis=0)
    return np.resize(best, len(next_q)) if len(best) == len(next_q) else np.full(len(next_q), np.inf)


def _q_through(wrong: Callable[..., Array]) -> Callable[..., Array]:
    """A mistake of the plain target, made with the best next action."""

    def target(rewards: Array, next_q: Array, terminated: Flags, truncated: Flags, gamma: float) -> Array:
        return wrong(rewards, next_q.max(axis=1), terminated, truncated, gamma)

    return target


Q_VARIANTS: Variants = {
    "mean over actions instead of the maximum": (_q_with(lambda next_q: next_q.mean(axis=1)),),
    "minimum over actions instead of the maximum": (_q_with(lambda next_q: next_q.min(axis=1)),),
    "sum over actions instead of the maximum": (_q_with(lambda next_q: next_q.sum(axis=1)),),
    "one maximum for the whole batch": (_q_with(lambda next_q: np.full(len(next_q), next_q.max())),),
    "index of the best action used as its value": (_q_with(lambda next_q: next_q.argmax(axis=1).astype(np.float64)),),
} | {name: tuple(map(_q_through, wrong)) for name, wrong in TD_VARIANTS.items()}


def _double_with(choose: Callable[[Array, Array], Array]) -> Callable[..., Array]:
    def wrong(rewards: Array, online: Array, target: Array, terminated: Flags, truncated: Flags, gamma: float) -> Array:
        return td_target(rewards, choose(online, target), terminated, truncated, gamma)

    return wrong


def _double_through(wrong: Callable[..., Array]) -> Callable[..., Array]:
    def changed(
        rewards: Array, online: Array, target: Array, terminated: Flags, truncated: Flags, gamma: float
    ) -> Array:
        return wrong(rewards, _chosen(target, online), terminated, truncated, gamma)

    return changed


DOUBLE_Q_VARIANTS: Variants = {
    "networks swapped": (_double_with(lambda online, target: _chosen(online, target)),),
    "not double: the target network chooses too": (_double_with(lambda online, target: target.max(axis=1)),),
    "not double: the online network judges too": (_double_with(lambda online, target: online.max(axis=1)),),
} | {name: tuple(map(_double_through, wrong)) for name, wrong in TD_VARIANTS.items()}


def _soft_with(value: Callable[[Array, Array, Array], Array]) -> Callable[..., Array]:
    """Another soft value, from both critics and the scaled log-probability."""

    def wrong(
        rewards: Array,
        first: Array,
        second: Array,
        log_probs: Array,
        terminated: Flags,
        truncated: Flags,
        gamma: float,
        alpha: float,
    ) -> Array:
        return td_target(rewards, value(first, second, alpha * log_probs), terminated, truncated, gamma)

    return wrong


def _soft_through(wrong: Callable[..., Array]) -> Callable[..., Array]:
    def changed(
        rewards: Array,
        first: Array,
        second: Array,
        log_probs: Array,
        terminated: Flags,
        truncated: Flags,
        gamma: float,
        alpha: float,
    ) -> Array:
        return wrong(rewards, np.minimum(first, second) - alpha * log_probs, terminated, truncated, gamma)

    return changed


def _entropy_outside(
    rewards: Array,
    first: Array,
    second: Array,
    log_probs: Array,
    terminated: Flags,
    truncated: Flags,
    gamma: float,
    alpha: float,
) -> Array:
    return td_target(rewards, np.minimum(first, second), terminated, truncated, gamma) - alpha * log_probs


def _entropy_not_masked(
    rewards: Array,
    first: Array,
    second: Array,
    log_probs: Array,
    terminated: Flags,
    truncated: Flags,
    gamma: float,
    alpha: float,
) -> Array:
    return td_target(rewards, np.minimum(first, second), terminated, truncated, gamma) - gamma * alpha * log_probs


def _temperature_left_out(*inputs: Array) -> Array:
    rewards, first, second, log_probs, terminated, truncated, gamma = inputs[:7]
    ended, cut = terminated.astype(bool), truncated.astype(bool)
    return soft_q_target(rewards, first, second, log_probs, ended, cut, float(gamma), 1.0)


_SOFT_ALONE: Variants = {
    "entropy sign flipped": (_soft_with(lambda first, second, bonus: np.minimum(first, second) + bonus),),
    "entropy bonus left out": (_soft_with(lambda first, second, bonus: np.minimum(first, second)),),
    "maximum of the twins instead of the minimum": (
        _soft_with(lambda first, second, bonus: np.maximum(first, second) - bonus),
    ),
    "mean of the twins instead of the minimum": (
        _soft_with(lambda first, second, bonus: (first + second) / 2 - bonus),
    ),
    "one of the twins ignored": (
        _soft_with(lambda first, second, bonus: first - bonus),
        _soft_with(lambda first, second, bonus: second - bonus),
    ),
    "entropy bonus outside of the done mask": (_entropy_outside, _entropy_not_masked),
    "temperature left out": (_temperature_left_out,),
}

SOFT_Q_VARIANTS: Variants = _SOFT_ALONE | {
    name: tuple(map(_soft_through, wrong)) for name, wrong in TD_VARIANTS.items()
}
