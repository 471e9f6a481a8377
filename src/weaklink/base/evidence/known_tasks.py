"""Facts about common tasks: the return that counts as solved, the time limit, and the largest action.

The thresholds are those that Gymnasium's registry declares (`spec.reward_threshold`); the floors are the returns of
doing nothing until the time limit, where the task has such a floor by its rules.
"""

from __future__ import annotations

import re

SOLVED: dict[str, float] = {
    "CartPole-v0": 195.0,
    "CartPole-v1": 475.0,
    "MountainCar-v0": -110.0,
    "MountainCarContinuous-v0": 90.0,
    "Acrobot-v1": -100.0,
    "LunarLander": 200.0,
    "LunarLanderContinuous": 200.0,
    "BipedalWalker": 300.0,
    "BipedalWalkerHardcore": 300.0,
    "CarRacing": 900.0,
    "FrozenLake-v1": 0.70,
    "FrozenLake8x8-v1": 0.85,
    "Taxi": 8.0,
    "Blackjack-v1": 0.0,
    "Reacher": -3.75,
    "Pusher": 0.0,
    "InvertedPendulum": 950.0,
    "InvertedDoublePendulum": 9100.0,
    "HalfCheetah": 4800.0,
    "Hopper": 3800.0,
    "Swimmer": 360.0,
    "Ant": 6000.0,
}


def find_solved_return(environment: str) -> float | None:
    """The return at which the task counts as solved, or None where none is declared."""
    if environment in SOLVED:
        return SOLVED[environment]
    return SOLVED.get(re.sub(r"-v\d+$", "", environment))


TIME_LIMITS: dict[str, float] = {
    "CartPole-v0": 200,
    "CartPole-v1": 500,
    "MountainCar-v0": 200,
    "MountainCarContinuous-v0": 999,
    "Acrobot-v1": 500,
    "Pendulum-v1": 200,
    "LunarLander": 1000,
    "LunarLanderContinuous": 1000,
    "BipedalWalker": 1600,
    "InvertedPendulum": 1000,
    "InvertedDoublePendulum": 1000,
    "HalfCheetah": 1000,
    "Hopper": 1000,
    "Walker2d": 1000,
    "Swimmer": 1000,
    "Ant": 1000,
    "Humanoid": 1000,
}
"""Steps after which Gymnasium's registry ends an episode (`spec.max_episode_steps`)."""


def find_time_limit(environment: str) -> float | None:
    """The steps after which an episode of the task is cut off, or None where that is not known."""
    return TIME_LIMITS.get(environment, TIME_LIMITS.get(re.sub(r"-v\d+$", "", environment)))


ACTION_BOUNDS: dict[str, float] = {
    "Pendulum-v1": 2.0,
    "MountainCarContinuous-v0": 1.0,
    "LunarLanderContinuous": 1.0,
    "BipedalWalker": 1.0,
    "InvertedPendulum": 3.0,
    "InvertedDoublePendulum": 1.0,
    "Reacher": 1.0,
    "Pusher": 2.0,
    "HalfCheetah": 1.0,
    "Hopper": 1.0,
    "Walker2d": 1.0,
    "Swimmer": 1.0,
    "Ant": 1.0,
    "Humanoid": 0.4,
}
"""The largest action that the task takes (`action_space.high`)."""


def find_action_bound(environment: str) -> float | None:
    """The largest action that the task takes, or None where that is not known."""
    return ACTION_BOUNDS.get(environment, ACTION_BOUNDS.get(re.sub(r"-v\d+$", "", environment)))


ENDLESS = frozenset(("Pendulum", "HalfCheetah", "Reacher", "Pusher", "Swimmer"))
"""Tasks that end no episode by themselves: only their time limit does."""


def never_ends(environment: str) -> bool:
    """Whether episodes of the task are only ever cut off by its time limit."""
    return re.sub(r"-v\d+$", "", environment) in ENDLESS
