"""Faults of the task itself, and policies that did not learn it."""

from __future__ import annotations

import gymnasium as gym
import numpy as np

from tests.quality.worlds.planted import fault

WALLED_IN = ["SFFF", "FFFF", "FFHH", "FFHG"]


@fault("TSK103 TSK106 REW101 REW102", "CATALOG TSK103", {
    "MountainCar-v0": {},
    "Acrobot-v1": {},
    "FrozenLake-v1": {"desc": WALLED_IN, "is_slippery": False},
    "MiniGrid-Empty-5x5-v0": {},
})  # fmt: skip
class GoalOutOfReach(gym.Wrapper):
    """The flag behind the end of the road, the bar too high, the goal behind holes or behind a wall."""

    def reset(self, *, seed=None, options=None):
        start, inner = self.env.reset(seed=seed, options=options), self.unwrapped
        if self.spec.id == "MountainCar-v0":
            inner.goal_position = 0.7
        elif self.spec.id == "MiniGrid-Empty-5x5-v0":
            inner.grid.vert_wall(2, 1, 3)
        return start

    def step(self, action):
        observation, reward, terminated, truncated, info = self.env.step(action)
        if self.spec.id == "Acrobot-v1" and terminated:
            reward, terminated = -1.0, False
        return observation, reward, terminated, truncated, info


@fault("TSK103 TSK106", "practice: an engine too weak for the hill", "MountainCar-v0 Acrobot-v1")
def engine_too_weak(env):
    if env.spec.id == "MountainCar-v0":
        env.unwrapped.force = 0.0001
    else:
        env.unwrapped.AVAIL_TORQUE = [-0.02, 0.0, 0.02]
    return env


@fault("TSK103 TSK104", "FAULTS E11: a time limit for another task", {
    "MountainCar-v0": {"max_episode_steps": 40},
    "Acrobot-v1": {"max_episode_steps": 25},
    "Taxi-v4": {"max_episode_steps": 5},
})  # fmt: skip
def too_little_time(env):
    return env


@fault(
    "TSK104 ENV107 REW105 REW107",
    "FAULTS E01: termination never reaches the caller",
    "CartPole-v1 Hopper-v5 InvertedPendulum-v5",
    level="info",
)
class NeverEnds(gym.Wrapper):
    def step(self, action):
        observation, reward, _, truncated, info = self.env.step(action)
        return observation, reward, False, truncated, info


@fault("TSK105", "FAULTS E11: limits in centimetres, or turned into radians twice", {
    "CartPole-v1": {},
    "Hopper-v5": {"healthy_z_range": (70.0, 1000.0)},
    "Walker2d-v5": {"healthy_z_range": (80.0, 200.0)},
})  # fmt: skip
def limits_too_tight(env):
    if env.spec.id == "CartPole-v1":
        env.unwrapped.theta_threshold_radians *= 2 * np.pi / 360
    return env


@fault(
    "TSK105 ENV107",
    "practice: the flag of success returned as that of the end",
    "Pendulum-v1 HalfCheetah-v5 MountainCar-v0",
)
class EndsAtOnce(gym.Wrapper):
    def step(self, action):
        observation, reward, terminated, truncated, info = self.env.step(action)
        return observation, reward, not terminated, truncated, info


@fault(
    "TSK106 TSK103",
    "CATALOG TSK106: a goal region nobody can hit",
    "Reacher-v5 Pendulum-v1 HalfCheetah-v5",
    metric="is_success",
)
class GoalTooSmall(gym.Wrapper):
    def step(self, action):
        observation, reward, terminated, truncated, info = self.env.step(action)
        return observation, reward, terminated, truncated, {**info, "is_success": bool(-1e-6 < reward < 0)}


@fault("TSK101", "CATALOG TSK101", "CartPole-v1 Taxi-v4 Pendulum-v1",
       policy={"CartPole-v1": "coin_of_two", "Taxi-v4": "coin_of_six", "Pendulum-v1": "coin_of_torque"})  # fmt: skip
def learned_nothing(env):
    return env


@fault("TSK102", "CATALOG TSK102", "CartPole-v1 Pendulum-v1",
       policy={"CartPole-v1": "hardly_better_cart_pole", "Pendulum-v1": "hardly_better_pendulum"},
       automaton={"CartPole-v1": "cart_pole", "Pendulum-v1": "pendulum"})  # fmt: skip
def hardly_learned(env):
    return env


@fault(
    "TSK107",
    "CATALOG TSK107: a discount for another horizon",
    "HalfCheetah-v5 Swimmer-v5 Pendulum-v1",
    level="info",
    config={"gamma": 0.8},
)
def short_sighted(env):
    return env


@fault("TSK103 TSK104 ENV105", "FAULTS E11: never initialised", "MountainCar-v0 Acrobot-v1 Swimmer-v5")
class NothingMoves(gym.Wrapper):
    """Time stands still: every step hands out the start and the same reward."""

    def reset(self, *, seed=None, options=None):
        self.first, info = self.env.reset(seed=seed, options=options)
        self.steps = 0
        return self.first, info

    def step(self, action):
        self.steps += 1
        return np.array(self.first), -1.0, False, self.steps >= 200, {}
