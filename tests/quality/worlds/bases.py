"""The real environments that faults are planted in."""

from __future__ import annotations

from typing import Any

import gymnasium as gym

PIXELS = "Pixels-"
"""Before the id of a MiniGrid environment: its picture is the observation, 40 x 40 pixels."""


def make_base(base: str, **arguments: Any) -> gym.Env:
    """The environment of this id; `Pixels-` before it makes its picture the observation."""
    if "MiniGrid" not in base:
        return gym.make(base, **arguments)
    from minigrid.wrappers import ImgObsWrapper, RGBImgObsWrapper  # registers the ids too

    env = gym.make(base.removeprefix(PIXELS), **arguments)
    return ImgObsWrapper(RGBImgObsWrapper(env, tile_size=8)) if base.startswith(PIXELS) else env
