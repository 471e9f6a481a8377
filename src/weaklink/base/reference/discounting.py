"""Discounted returns: what a step and all that follow it in its episode are worth, and the usual ways to get it wrong.

Arrays are (T,) or (T, N): time first, then environments. `terminated` and `truncated` belong to the step they end.
`final_values` holds the value of the last observation of an episode that was cut; without it the value of the row that
follows stands in for it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]
Variants = dict[str, tuple[Callable[..., Array], ...]]
"""Wrong computations by name, each called like the right one; a mistake that is made in several ways has several."""


def fold_backwards(terms: Array, decay: NDArray[Any]) -> Array:
    """Sums backwards in time: each term plus what follows it times the decay of the step."""
    total = np.zeros_like(terms)
    running = np.zeros_like(terms[0]) if len(terms) else terms
    for step in reversed(range(len(terms))):
        running = terms[step] + decay[step] * running
        total[step] = running
    return total


def take_next(flags: Flags, last: bool | Flags = False) -> Flags:
    """The flags of the step after each; `last` stands behind the end."""
    return np.concatenate([flags[1:], np.broadcast_to(last, flags[:1].shape)])


def take_previous(flags: Flags, first: bool | Flags = False) -> Flags:
    """The flags of the step before each; `first` stands before the start."""
    return np.concatenate([np.broadcast_to(first, flags[:1].shape), flags[:-1]])


def discounted_returns(
    rewards: Array,
    terminated: Flags,
    truncated: Flags,
    last_value: float | Array,
    gamma: float,
    final_values: Array | None = None,
) -> Array:
    """The discounted return of each step, continued by a value wherever the episode goes on beyond the record."""
    ended = terminated | truncated
    finals = np.zeros_like(rewards) if final_values is None else np.where(truncated, final_values, 0.0)
    if final_values is None:
        finals[-1] = np.where(truncated[-1], last_value, 0.0)
    terms = rewards + gamma * np.where(terminated, 0.0, finals)
    terms[-1] += gamma * np.where(ended[-1], 0.0, last_value)
    return fold_backwards(terms, gamma * ~ended)


def _masked(mask: Callable[[Flags], Flags]) -> Callable[..., Array]:
    """The return with another mask in the place of the ends of episodes."""

    def wrong(
        rewards: Array, terminated: Flags, truncated: Flags, last_value: float | Array, gamma: float, *_: Array | None
    ) -> Array:
        cut = mask(terminated | truncated)
        terms = rewards.copy()
        terms[-1] += gamma * np.where(cut[-1], 0.0, last_value)
        return fold_backwards(terms, gamma * ~cut)

    return wrong


def _with_gamma(change: Callable[[float], float]) -> Callable[..., Array]:
    def wrong(
        rewards: Array, terminated: Flags, truncated: Flags, last_value: float | Array, gamma: float, *finals: Array
    ) -> Array:
        return discounted_returns(rewards, terminated, truncated, last_value, change(gamma), *finals)

    return wrong


def _one_step_too_many(
    rewards: Array, terminated: Flags, truncated: Flags, last_value: float | Array, gamma: float, *finals: Array
) -> Array:
    return gamma * discounted_returns(rewards, terminated, truncated, last_value, gamma, *finals)


def _without_last_value(
    rewards: Array, terminated: Flags, truncated: Flags, last_value: float | Array, gamma: float, *finals: Array
) -> Array:
    return discounted_returns(rewards, terminated, truncated, np.zeros_like(last_value), gamma, *finals)


def _truncation_as_termination(
    rewards: Array, terminated: Flags, truncated: Flags, last_value: float | Array, gamma: float, *finals: Array
) -> Array:
    return discounted_returns(rewards, terminated | truncated, truncated, last_value, gamma, *finals)


def _through_the_last_terminal(
    rewards: Array, terminated: Flags, truncated: Flags, last_value: float | Array, gamma: float, *_: Array
) -> Array:
    terms = rewards.copy()
    terms[-1] += gamma * np.asarray(last_value)
    return fold_backwards(terms, gamma * ~(terminated | truncated))


def _forwards(
    rewards: Array, terminated: Flags, truncated: Flags, last_value: float | Array, gamma: float, *_: Array
) -> Array:
    cut = terminated | truncated
    return fold_backwards(rewards[::-1], gamma * ~cut[::-1])[::-1]


def _whole_return(
    rewards: Array, terminated: Flags, truncated: Flags, last_value: float | Array, gamma: float, *finals: Array
) -> Array:
    right = discounted_returns(rewards, terminated, truncated, last_value, gamma, *finals)
    starts = take_previous(terminated | truncated, True)
    for step in range(1, len(right)):
        right[step] = np.where(starts[step], right[step], right[step - 1])
    return right


def _from_the_start(
    rewards: Array, terminated: Flags, truncated: Flags, last_value: float | Array, gamma: float, *finals: Array
) -> Array:
    right = discounted_returns(rewards, terminated, truncated, last_value, gamma, *finals)
    starts, power = take_previous(terminated | truncated, True), np.ones_like(right)
    for step in range(1, len(right)):
        power[step] = np.where(starts[step], 1.0, power[step - 1] * gamma)
    return right * power


def _reward_of_this_step_left_out(
    rewards: Array, terminated: Flags, truncated: Flags, last_value: float | Array, gamma: float, *finals: Array
) -> Array:
    return discounted_returns(rewards, terminated, truncated, last_value, gamma, *finals) - rewards


RETURN_VARIANTS: Variants = {
    "done mask shifted by one": (
        _masked(take_next),
        _masked(lambda ended: take_next(ended, ended[-1])),
        _masked(lambda ended: take_next(ended, True)),
        _masked(take_previous),
        _masked(lambda ended: take_previous(ended, True)),
    ),
    "done ignored": (_masked(np.zeros_like),),
    "mask inverted": (_masked(np.logical_not),),
    "bootstrap through a terminal": (_through_the_last_terminal,),
    "truncation treated as termination": (_truncation_as_termination,),
    "no bootstrap at the last step": (_without_last_value,),
    "gamma ignored": (_with_gamma(lambda gamma: 1.0),),
    "gamma applied twice": (_with_gamma(lambda gamma: gamma**2),),
    "discounted one step too many": (_one_step_too_many,),
    "discounted from the start of the episode": (_from_the_start,),
    "whole return instead of reward to go": (_whole_return,),
    "time not reversed": (_forwards,),
    "reward of the step itself left out": (_reward_of_this_step_left_out,),
}
