"""Faults of what is left out: the same observation, and something else comes of it."""

from __future__ import annotations

import gymnasium as gym
import numpy as np

from tests.quality.worlds.planted import fault

SPEEDS = {
    "CartPole-v1": (1, 3),
    "Pendulum-v1": (2,),
    "MountainCar-v0": (1,),
    "Acrobot-v1": (4, 5),
    "Hopper-v5": range(5, 11),
}


class Without(gym.ObservationWrapper):
    """Some columns left out."""

    def __init__(self, env, columns):
        super().__init__(env)
        self.kept = [n for n in range(env.observation_space.shape[0]) if n not in set(columns)]
        space = env.observation_space
        self.observation_space = gym.spaces.Box(space.low[self.kept], space.high[self.kept], dtype=space.dtype)

    def observation(self, observation):
        return observation[self.kept]


@fault("OBS110", "FAULTS O05: velocity", "CartPole-v1 Pendulum-v1 MountainCar-v0 Acrobot-v1", level="info")
def velocity_dropped(env):
    return Without(env, SPEEDS[env.spec.id])


@fault("OBS114 OBS110 OBS108", "FAULTS O05: goal", "Reacher-v5 Pusher-v5", level="info")
def goal_dropped(env):
    return Without(env, (4, 5, 8, 9) if env.spec.id.startswith("Reacher") else range(17, 23))


@fault("OBS110", "FAULTS O05: half of the state", "Taxi-v4 FrozenLake-v1 CliffWalking-v1", level="info")
class PartOfTheState(gym.ObservationWrapper):
    """Only where the taxi is; only the column of the field."""

    def __init__(self, env):
        super().__init__(env)
        self.columns = 12 if env.spec.id.startswith("Cliff") else 4
        self.taxi = env.spec.id.startswith("Taxi")
        self.observation_space = gym.spaces.Discrete(25 if self.taxi else self.columns)

    def observation(self, observation):
        return observation // 20 if self.taxi else observation % self.columns


@fault("OBS110", "FAULTS O07: a clip far too tight", "CartPole-v1 MountainCar-v0 Pendulum-v1", level="info")
class TightClip(gym.ObservationWrapper):
    """Three quarters of the range are cut off."""

    def observation(self, observation):
        limit = 0.25 * np.minimum(np.abs(self.observation_space.high), (0.4, 0.6, 0.15, 0.9)[: len(observation)])
        return np.clip(observation, -limit, limit).astype(observation.dtype)


@fault(
    "OBS110 OBS108",
    "FAULTS E10: unrelated transitions with p = 0.2",
    "CartPole-v1 Pendulum-v1 HalfCheetah-v5",
    level="info",
)
class UnrelatedTransitions(gym.Wrapper):
    """One in five: observation and reward of some step before."""

    def reset(self, *, seed=None, options=None):
        self.past = []
        return self.env.reset(seed=seed, options=options)

    def step(self, action):
        observation, reward, *rest = self.env.step(action)
        self.past.append((observation, reward))
        if self.np_random.random() < 0.2:
            observation, reward = self.past[self.np_random.integers(len(self.past))]
        return observation, reward, *rest


@fault(
    "OBS115",
    "practice: the observation is built before the simulation is stepped",
    "CartPole-v1 Pendulum-v1 MountainCar-v0 Acrobot-v1",
)
def seen_before_the_step(env):
    inner = env.unwrapped
    reset, step, seen = inner.reset, inner.step, []

    def begin(**given):
        observation, info = reset(**given)
        seen[:] = [observation]
        return observation, info

    def go(action):
        observation, *rest = step(action)
        late, seen[:] = seen[0], [observation]
        return late, *rest

    inner.reset, inner.step = begin, go
    return env


@fault("OBS117", "practice: a shuffle meant for something else", "CartPole-v1 HalfCheetah-v5")
class ColumnsShuffled(gym.ObservationWrapper):
    """Another order of the columns at each step."""

    def observation(self, observation):
        return self.unwrapped.np_random.permutation(observation)
