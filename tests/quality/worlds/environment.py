"""Faults of the environment's course: seeds, resets, rest, the ends of episodes."""

from __future__ import annotations

import random
import time
from collections import deque

import gymnasium as gym
import numpy as np

from tests.quality.worlds.planted import fault


@fault("ENV102", "practice: a generator made on the spot", "CartPole-v1 Pendulum-v1 HalfCheetah-v5")
class UnseededSensorNoise(gym.ObservationWrapper):
    def observation(self, observation):
        noise = np.random.default_rng().normal(0, 0.01, observation.shape)
        low, high = self.observation_space.low, self.observation_space.high
        return np.clip(observation + noise, low, high).astype(observation.dtype)


@fault("ENV102", "practice: np.random in the reward", "CartPole-v1 Pendulum-v1 Reacher-v5")
class UnseededRewardNoise(gym.RewardWrapper):
    def reward(self, reward):
        return float(reward + 0.1 * np.random.randn())  # noqa: NPY002


@fault("ENV102", "practice: real time in the simulation", "CartPole-v1 Pendulum-v1 Swimmer-v5")
class WallClock(gym.Wrapper):
    """A column more: seconds since the reset."""

    def __init__(self, env):
        super().__init__(env)
        space = env.observation_space
        self.observation_space = gym.spaces.Box(
            np.append(space.low, 0), np.append(space.high, np.inf), dtype=space.dtype
        )

    def reset(self, *, seed=None, options=None):
        self.began = time.perf_counter()
        observation, info = self.env.reset(seed=seed, options=options)
        return self.with_time(observation), info

    def step(self, action):
        observation, *rest = self.env.step(action)
        return self.with_time(observation), *rest

    def with_time(self, observation):
        return np.append(observation, time.perf_counter() - self.began).astype(self.observation_space.dtype)


@fault(
    "ENV102",
    "Machado et al. 2018 sticky actions, with Python's global generator",
    "CartPole-v1 Taxi-v4 MiniGrid-Empty-5x5-v0",
)
class UnseededStickyActions(gym.Wrapper):
    def reset(self, *, seed=None, options=None):
        self.last = None
        return self.env.reset(seed=seed, options=options)

    def step(self, action):
        if self.last is None or random.random() > 0.25:
            self.last = action
        return self.env.step(self.last)


@fault("ENV102 ENV101", "practice: the seed is taken and thrown away", "CartPole-v1 Pendulum-v1 Reacher-v5")
class SeedThrownAway(gym.Wrapper):
    def reset(self, *, seed=None, options=None):
        return self.env.reset(options=options)


@fault("ENV103", "FAULTS E08; Gymnasium #885", "CartPole-v1 Pendulum-v1 HalfCheetah-v5")
class StepCounterSurvives(gym.Wrapper):
    """Its own time limit of 300 steps, counted over all episodes."""

    steps = 0

    def step(self, action):
        observation, reward, terminated, truncated, info = self.env.step(action)
        self.steps += 1
        return observation, reward, terminated, truncated or self.steps >= 300, info


@fault("ENV103", "FAULTS E08: the goal", "CartPole-v1 Pendulum-v1 Reacher-v5")
class OffsetSurvives(gym.Wrapper):
    """The reference position is drawn when the first episode begins and never again."""

    offset = None

    def reset(self, *, seed=None, options=None):
        observation, info = self.env.reset(seed=seed, options=options)
        if self.offset is None:
            self.offset = self.np_random.uniform(-0.02, 0.02)
        return self.shifted(observation), info

    def step(self, action):
        observation, *rest = self.env.step(action)
        return self.shifted(observation), *rest

    def shifted(self, observation):
        observation = observation.copy()
        observation[0] = np.clip(
            observation[0] + self.offset, self.observation_space.low[0], self.observation_space.high[0]
        )
        return observation


@fault("ENV103", "DACBench #94: a schedule inside the environment", "CartPole-v1 Pendulum-v1 Hopper-v5")
class RewardGrowsByEpisode(gym.Wrapper):
    episodes = 0

    def reset(self, *, seed=None, options=None):
        self.episodes += 1
        return self.env.reset(seed=seed, options=options)

    def step(self, action):
        observation, reward, *rest = self.env.step(action)
        return observation, reward * 1.05**self.episodes, *rest


@fault("ENV103", "FAULTS E08: the history", "CartPole-v1 Pendulum-v1 HalfCheetah-v5")
class FilterSurvives(gym.ObservationWrapper):
    """A smoothing filter that goes on over the reset."""

    smooth = None

    def observation(self, observation):
        self.smooth = observation if self.smooth is None else 0.8 * self.smooth + 0.2 * observation
        return self.smooth.astype(observation.dtype)


@fault("ENV103", "FAULTS E08: frames of the last episode in the stack", "CartPole-v1 MountainCar-v0 Reacher-v5")
class StackSurvives(gym.ObservationWrapper):
    def __init__(self, env):
        super().__init__(env)
        space = env.observation_space
        self.frames = deque([np.zeros(space.shape, space.dtype)] * 3, maxlen=3)
        self.observation_space = gym.spaces.Box(np.tile(space.low, 3), np.tile(space.high, 3), dtype=space.dtype)

    def observation(self, observation):
        self.frames.append(observation)
        return np.concatenate(self.frames)


@fault("ENV103 TSK105 ENV107", "FAULTS E05: reset missing", "CartPole-v1 Acrobot-v1 Hopper-v5")
class ResetOnlyOnce(gym.Wrapper):
    last = None

    def reset(self, *, seed=None, options=None):
        if self.last is None:
            self.last, _ = self.env.reset(seed=seed, options=options)
        return self.last, {}

    def step(self, action):
        self.last, *rest = self.env.step(action)
        return self.last, *rest


@fault("ENV104", "practice: a fixed seed left from debugging", "CartPole-v1 Pendulum-v1 Reacher-v5 Taxi-v4")
class SeedAlwaysZero(gym.Wrapper):
    def reset(self, *, seed=None, options=None):
        return self.env.reset(seed=0, options=options)


@fault("ENV104", "practice: np.random.seed in reset", "CartPole-v1 Pendulum-v1 MountainCar-v0")
class GlobalSeedAtReset(gym.Wrapper):
    """The start is drawn by hand, right after the global generator was set back."""

    def reset(self, *, seed=None, options=None):
        observation, info = self.env.reset(seed=seed, options=options)
        np.random.seed(42)  # noqa: NPY002
        inner = self.unwrapped
        inner.state = np.asarray(inner.state) * 0 + np.random.uniform(-0.05, 0.05, len(inner.state))  # noqa: NPY002
        return inner._get_obs() if hasattr(inner, "_get_obs") else inner.state.astype(observation.dtype), info


@fault(
    "ENV104",
    "practice: minigrid's ReseedWrapper with one seed",
    "MiniGrid-Fetch-5x5-N2-v0 MiniGrid-Empty-Random-5x5-v0",
)
def one_layout(env):
    from minigrid.wrappers import ReseedWrapper

    return ReseedWrapper(env, seeds=(7,))


@fault("ENV105", "CATALOG ENV105: positive feedback in a filter", "HalfCheetah-v5 Swimmer-v5 Reacher-v5")
class RunsAway(gym.Wrapper):
    """The integral of a column, with a gain over 1."""

    def reset(self, *, seed=None, options=None):
        observation, info = self.env.reset(seed=seed, options=options)
        self.sum = 0.01
        return observation, info

    def step(self, action):
        observation, *rest = self.env.step(action)
        self.sum *= 1.2
        observation = observation.copy()
        observation[0] += self.sum
        return observation, *rest


@fault("ENV105 OBS104", "practice: the direction of a zero vector", "Pendulum-v1 MountainCarContinuous-v0")
class NanAtRest(gym.ActionWrapper):
    def action(self, action):
        return np.clip(action / np.linalg.norm(action) * np.sqrt(np.abs(action)), -2, 2)


@fault("ENV105", "practice: an actuator with an offset", "Swimmer-v5 Reacher-v5", level="info")
class ActuatorOffset(gym.ActionWrapper):
    def action(self, action):
        return np.clip(action + 0.3, self.action_space.low, self.action_space.high).astype(np.float32)


@fault("ENV107", "FAULTS E02", "Pendulum-v1 HalfCheetah-v5 MountainCar-v0 Reacher-v5")
class TimeLimitIsTermination(gym.Wrapper):
    def step(self, action):
        observation, reward, terminated, truncated, info = self.env.step(action)
        return observation, reward, terminated or truncated, False, info


@fault("ENV107", "practice: done copied into both flags", "Pendulum-v1 HalfCheetah-v5 CartPole-v1")
class BothFlags(gym.Wrapper):
    def step(self, action):
        observation, reward, terminated, truncated, info = self.env.step(action)
        done = terminated or truncated
        return observation, reward, done, done, info


@fault("ENV107", "FAULTS E04: the end replaced by the next start", "CartPole-v1 Hopper-v5 Acrobot-v1 Pendulum-v1")
class SilentAutoreset(gym.Wrapper):
    def step(self, action):
        observation, reward, terminated, truncated, info = self.env.step(action)
        if terminated or truncated:
            observation, info = self.env.reset()
        return observation, reward, terminated, truncated, info


@fault("ENV110", "CATALOG ENV110", "CartPole-v1 Pendulum-v1", level="info", config={"total_timesteps": 50_000_000})
class SlowStep(gym.Wrapper):
    def step(self, action):
        time.sleep(0.004)
        return self.env.step(action)


@fault("ENV107", "practice: a wrapper that keeps a failure to itself", "CartPole-v1 FrozenLake-v1 Acrobot-v1")
class KeepsTermination(gym.Wrapper):
    def step(self, action):
        observation, reward, _, truncated, info = self.env.step(action)
        return observation, reward, False, truncated, info


@fault("ENV104", "practice: a generator made on the spot, always from one seed", "CartPole-v1 Pendulum-v1")
class GeneratorOnTheSpot(gym.Wrapper):
    def reset(self, *, seed=None, options=None):
        return self.env.reset(seed=int(np.random.default_rng(7).integers(1000)), options=options)
