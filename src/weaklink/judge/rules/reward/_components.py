"""The parts of a reward: which of those that an environment tells really add up to it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from weaklink.base.evidence.series import Array
from weaklink.base.evidence.survey import Play
from weaklink.judge.rules.reward._plays import is_sound

CLOSE = 1e-6
"""How exactly parts must add up, in units of the largest reward."""


class Parts(NamedTuple):
    """What each part puts into the reward of each step, with the weight that it has in the sum.

    `add_up` says whether the parts were seen to add up to the reward, `plain` whether they do so without weights.
    """

    shares: dict[str, Array]
    weights: dict[str, float]
    add_up: bool
    plain: bool


def parts_of(play: Play) -> Parts:
    """The parts with the sign and weight with which they enter the reward.

    Environments tell parts with or without their weight, and costs as positive numbers. Where the plain sum is the
    reward up to a constant, the weights are 1; else they are solved for, and where that fails the parts stay as told.
    """
    told = {key: values for key, values in play.components.items() if _usable(values, play.rewards)}
    if not told or not is_sound(play.rewards):
        return Parts(told, dict.fromkeys(told, 1.0), False, False)
    for chosen in (told, {key: values for key, values in told.items() if not same(values, play.rewards)}):
        if chosen and _leaves_a_constant(play.rewards, play.rewards - sum(chosen.values())):
            return Parts(chosen, dict.fromkeys(chosen, 1.0), True, True)
    told = {key: values for key, values in told.items() if not same(values, play.rewards)}
    design = np.stack([*told.values(), np.ones(len(play.rewards))], axis=1)
    scale = np.maximum(np.abs(design).max(axis=0), 1e-300)
    solved = np.linalg.lstsq(design / scale, play.rewards, rcond=None)[0] / scale
    if not told or not _leaves_a_constant(play.rewards, play.rewards - design @ solved):
        return Parts(told, dict.fromkeys(told, 1.0), False, False)
    weights = dict(zip(told, solved.tolist(), strict=False))
    return Parts({key: weights[key] * told[key] for key in told}, weights, True, False)


def _leaves_a_constant(rewards: Array, rest: Array) -> bool:
    return float(np.ptp(rest)) <= CLOSE * max(float(np.abs(rewards).max()), 1e-300)


def _usable(values: Array, rewards: Array) -> bool:
    """Whether a part can be reckoned with: as long as the rewards, finite, and not always zero."""
    return len(values) == len(rewards) and is_sound(values) and bool(np.any(values))


def same(values: Array, rewards: Array) -> bool:
    """Whether a part is the reward itself under another name."""
    if not is_sound(values) or not is_sound(rewards):
        return False
    return bool(np.abs(values - rewards).max() <= CLOSE * float(np.abs(rewards).max()))
