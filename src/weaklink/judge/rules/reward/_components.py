"""The components of a reward: which of those that an environment reports add up to it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from weaklink.base.evidence.series import Array
from weaklink.base.evidence.survey import Play
from weaklink.judge.rules.reward._plays import is_sound

CLOSE = 1e-6  # how exactly components must add up, as a share of the largest reward: the rounding of float32


class RewardParts(NamedTuple):
    """The contribution of each component to the reward of each step, and its weight in the sum.

    `add_up` says whether the components add up to the reward, `plain` whether they do so without weights.
    """

    shares: dict[str, Array]
    weights: dict[str, float]
    add_up: bool
    plain: bool


def split_reward(play: Play) -> RewardParts:
    """Splits the reward into components with their sign and weight.

    Environments report components with or without their weight, and costs as positive numbers. Where the plain sum is
    the reward up to a constant, the weights are 1; otherwise a linear fit finds them, and where it fails the components
    stay as reported.
    """
    told = {key: values for key, values in play.components.items() if _is_usable(values, play.rewards)}
    if not told or not is_sound(play.rewards):
        return RewardParts(told, dict.fromkeys(told, 1.0), False, False)
    proper = {key: values for key, values in told.items() if not is_whole_reward(values, play.rewards)}
    for chosen in (told, proper):
        if chosen and _leaves_a_constant(play.rewards, play.rewards - sum(chosen.values())):
            return RewardParts(chosen, dict.fromkeys(chosen, 1.0), True, True)
    weights = fit_weights(proper, play.rewards)
    if not weights:
        return RewardParts(proper, dict.fromkeys(proper, 1.0), False, False)
    return RewardParts({key: weights[key] * proper[key] for key in proper}, weights, True, False)


def fit_weights(told: dict[str, Array], rewards: Array) -> dict[str, float]:
    """The weights with which components add up to the reward and a constant; empty where there are none."""
    if not told:
        return {}
    design = np.stack([*told.values(), np.ones(len(rewards))], axis=1)
    scale = np.maximum(np.abs(design).max(axis=0), 1e-300)
    solved = np.linalg.lstsq(design / scale, rewards, rcond=None)[0] / scale
    exact = _leaves_a_constant(rewards, rewards - design @ solved)
    return dict(zip(told, solved.tolist(), strict=False)) if exact else {}


def _leaves_a_constant(rewards: Array, rest: Array) -> bool:
    return float(np.ptp(rest)) <= CLOSE * max(float(np.abs(rewards).max()), 1e-300)


def _is_usable(values: Array, rewards: Array) -> bool:
    """Whether a component can be used: as long as the rewards, finite, and not always zero."""
    return len(values) == len(rewards) and is_sound(values) and bool(np.any(values))


def is_whole_reward(values: Array, rewards: Array) -> bool:
    """Whether a component is the whole reward under another name."""
    if not is_sound(values) or not is_sound(rewards):
        return False
    return bool(np.abs(values - rewards).max() <= CLOSE * float(np.abs(rewards).max()))
