"""The parts of a reward: which of those that an environment tells really add up to it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from weaklink.evidence.series import Array
from weaklink.evidence.survey import Play
from weaklink.rules.reward._plays import is_sound

CLOSE = 1e-6
"""How exactly parts must add up, in units of the largest reward."""


class Parts(NamedTuple):
    """What each part puts into the reward of each step, and whether they were seen to add up to it."""

    shares: dict[str, Array]
    add_up: bool
    plain: bool


def parts_of(play: Play) -> Parts:
    """The parts with the sign and weight with which they enter the reward.

    Environments tell parts with or without their weight, and costs as positive numbers. Where the plain sum is the
    reward up to a constant, the weights are 1; else they are solved for, and where that fails the parts stay as told.
    """
    told = {key: values for key, values in play.components.items() if _usable(values, play.rewards)}
    if not told or not is_sound(play.rewards):
        return Parts(told, False, False)
    size = float(np.abs(play.rewards).max()) or 1.0
    gap = play.rewards - sum(told.values())
    if float(np.ptp(gap)) <= CLOSE * size:
        return Parts(told, True, True)
    design = np.stack([*told.values(), np.ones(len(play.rewards))], axis=1)
    scale = np.maximum(np.abs(design).max(axis=0), 1e-300)
    weights = np.linalg.lstsq(design / scale, play.rewards, rcond=None)[0] / scale
    if float(np.abs(design @ weights - play.rewards).max()) > CLOSE * size:
        return Parts(told, False, False)
    return Parts({key: weight * told[key] for key, weight in zip(told, weights.tolist(), strict=False)}, True, False)


def _usable(values: Array, rewards: Array) -> bool:
    """Whether a part can be reckoned with: as long as the rewards, finite, sometimes not zero, and not all of them."""
    return len(values) == len(rewards) and is_sound(values) and bool(np.any(values)) and not same(values, rewards)


def same(values: Array, rewards: Array) -> bool:
    """Whether a part is the reward itself under another name."""
    return bool(np.allclose(values, rewards, rtol=CLOSE, atol=CLOSE * float(np.abs(rewards).max())))
