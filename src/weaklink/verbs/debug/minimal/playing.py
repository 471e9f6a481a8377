"""Episodes of a policy in one version of the task, with each part of the reward added up."""

from __future__ import annotations

import time
from collections.abc import Callable
from importlib import import_module
from typing import Any

from weaklink.verbs.debug.minimal.evidence import PlayedEpisodes

OWN_LIMIT = 2_000
"""Steps after which an episode that never ends is taken as over."""

FEWEST_EPISODES, PATIENCE = 5, 3.0
"""Episodes that can be judged, and how many times as long as planned they may take."""

Player = Callable[[], Callable[[Any], Any]]
"""Begins an episode: hands over a function from observation to action."""


def play_episodes(
    env: Any, player: Player, episodes: int, seconds: float, parts: tuple[str, ...], seed: int
) -> PlayedEpisodes:
    """Plays whole episodes until there are enough or the time is up.

    A good agent plays long ones, so a few are played whatever the time, unless they take several times as long.
    """
    part_of = import_module("weaklink.adapters.gymnasium.easing").read_part
    began = time.monotonic()
    returns: list[float] = []
    lengths: list[int] = []
    sums: dict[str, list[float]] = {part: [] for part in parts}
    while len(returns) < episodes and time.monotonic() - began < _limit_seconds(len(returns), seconds):
        observation, _ = env.reset(seed=seed + len(returns))
        act, total, length = player(), 0.0, 0
        counted = dict.fromkeys(parts, 0.0)
        over = False
        while not over and length < OWN_LIMIT:
            observation, reward, terminated, truncated, info = env.step(act(observation))
            total, length = total + float(reward), length + 1
            for part in parts:
                counted[part] += part_of(info, part)
            over = bool(terminated or truncated)
        returns.append(total)
        lengths.append(length)
        for part in parts:
            sums[part].append(counted[part])
    return PlayedEpisodes(
        returns=tuple(returns), lengths=tuple(lengths), parts={part: tuple(each) for part, each in sums.items()}
    )


def _limit_seconds(made: int, seconds: float) -> float:
    """Seconds until which another episode is begun."""
    return seconds if made >= FEWEST_EPISODES else PATIENCE * seconds
