"""Faults of what is seen."""

from __future__ import annotations

from collections import deque

import gymnasium as gym
import numpy as np

from tests.quality.worlds.bases import make_base
from tests.quality.worlds.planted import fault

PICTURES = "Pixels-MiniGrid-Empty-5x5-v0 Pixels-MiniGrid-Dynamic-Obstacles-5x5-v0 CarRacing-v3"
MINIMUM, MAXIMUM = -np.inf, np.inf


def boundless(env: gym.Env, size: int | None = None) -> gym.spaces.Box:
    """A box without bounds, as most people declare it."""
    return gym.spaces.Box(MINIMUM, MAXIMUM, (size or env.observation_space.shape[0],), np.float32)


@fault("OBS101", "FAULTS E06: the state is never updated", "CartPole-v1 Pendulum-v1 FrozenLake-v1 HalfCheetah-v5")
class ConstantObservation(gym.Wrapper):
    def reset(self, *, seed=None, options=None):
        _, info = self.env.reset(seed=seed, options=options)
        self.first = getattr(self, "first", _)
        return self.first, info

    def step(self, action):
        return self.first, *self.env.step(action)[1:]


@fault("OBS101", "practice: a sensor that was never connected", "Pendulum-v1 MiniGrid-Empty-5x5-v0 Reacher-v5")
class ZeroObservation(gym.ObservationWrapper):
    def observation(self, observation):
        if isinstance(observation, dict):
            return {**observation, "image": observation["image"] * 0, "direction": 0}
        return observation * 0


@fault(
    "OBS101 OBS110", "FAULTS E06 within episodes: the start is handed out for ever", "CartPole-v1 Reacher-v5 Acrobot-v1"
)
class StartHandedOut(gym.Wrapper):
    def reset(self, *, seed=None, options=None):
        self.first, info = self.env.reset(seed=seed, options=options)
        return self.first, info

    def step(self, action):
        return self.first, *self.env.step(action)[1:]


@fault("OBS102", "CATALOG OBS102: one sensor not wired", "CartPole-v1 Pendulum-v1 HalfCheetah-v5")
class DeadColumn(gym.ObservationWrapper):
    def observation(self, observation):
        observation = observation.copy()
        observation[1] = 0.0
        return observation


@fault("OBS102", "practice: a unit a milliard times too large", "CartPole-v1 Hopper-v5 Swimmer-v5")
class ColumnScaledAway(gym.ObservationWrapper):
    def observation(self, observation):
        observation = observation.copy()
        observation[-1] *= 1e-9
        return observation


@fault(
    "OBS103",
    "FAULTS O02: metres beside micrometres",
    "CartPole-v1 Hopper-v5 Reacher-v5",
    config={"algorithm": "PPO"},
)
class MixedUnits(gym.ObservationWrapper):
    def __init__(self, env):
        super().__init__(env)
        self.observation_space = boundless(env)

    def observation(self, observation):
        observation = observation.astype(np.float32)
        observation[0] *= 1e6
        return observation


@fault("OBS104", "CATALOG OBS104: a rate over no time", "Pendulum-v1 HalfCheetah-v5 MountainCar-v0")
class NanAfterSteps(gym.Wrapper):
    def reset(self, *, seed=None, options=None):
        self.steps = 0
        return self.env.reset(seed=seed, options=options)

    def step(self, action):
        observation, *rest = self.env.step(action)
        self.steps += 1
        if self.steps % 40 == 0:
            observation = observation.copy()
            observation[-1] = np.nan
        return observation, *rest


@fault("OBS104", "practice: one over a distance", "CartPole-v1 Reacher-v5 Acrobot-v1")
class InfiniteInPlaces(gym.ObservationWrapper):
    def __init__(self, env):
        super().__init__(env)
        self.observation_space = boundless(env)

    def observation(self, observation):
        observation = observation.astype(np.float32)
        observation[0] = np.inf if abs(observation[0]) < 0.002 else observation[0]
        return observation


@fault("OBS104", "practice: rates that the first step does not have", "CartPole-v1 Pendulum-v1 Swimmer-v5")
class NanAtReset(gym.Wrapper):
    def reset(self, *, seed=None, options=None):
        observation, info = self.env.reset(seed=seed, options=options)
        observation = observation.copy()
        observation[-1] = np.nan
        return observation, info


@fault("OBS105", "practice: degrees where radians are declared", "Pendulum-v1 CartPole-v1 Acrobot-v1 MountainCar-v0")
class WrongUnits(gym.ObservationWrapper):
    def observation(self, observation):
        return observation * np.float32(57.3)


@fault("OBS105 ENV101", "practice: states counted from 1", "FrozenLake-v1 Taxi-v4 CliffWalking-v1")
class CountedFromOne(gym.ObservationWrapper):
    def observation(self, observation):
        return observation + 1 if observation else self.observation_space.n


@fault("OBS105", "practice: declared normalised, never normalised", "HalfCheetah-v5 Hopper-v5 Walker2d-v5")
class DeclaredNormalised(gym.ObservationWrapper):
    def __init__(self, env):
        super().__init__(env)
        self.observation_space = gym.spaces.Box(-1.0, 1.0, env.observation_space.shape, env.observation_space.dtype)

    def observation(self, observation):
        return observation


@fault("OBS106", "practice: a whole history as a flat row", "CartPole-v1 Pendulum-v1 Reacher-v5", level="info")
class LongHistory(gym.Wrapper):
    """The last 600 observations, cleared at the reset."""

    def __init__(self, env):
        super().__init__(env)
        self.observation_space = boundless(env, 600 * env.observation_space.shape[0])

    def reset(self, *, seed=None, options=None):
        observation, info = self.env.reset(seed=seed, options=options)
        self.rows = deque([observation] * 600, maxlen=600)
        return np.concatenate(self.rows).astype(np.float32), info

    def step(self, action):
        observation, *rest = self.env.step(action)
        self.rows.append(observation)
        return np.concatenate(self.rows).astype(np.float32), *rest


@fault("OBS107", "FAULTS O01: a buffer filled anew and handed out again", "CartPole-v1 Pendulum-v1 HalfCheetah-v5")
class SameBuffer(gym.ObservationWrapper):
    def __init__(self, env):
        super().__init__(env)
        self.buffer = np.zeros(env.observation_space.shape, env.observation_space.dtype)

    def observation(self, observation):
        self.buffer[:] = observation
        return self.buffer


@fault("OBS107", "FAULTS O01 inside a dict", "MiniGrid-Empty-5x5-v0 MiniGrid-Dynamic-Obstacles-5x5-v0")
class SameImage(gym.ObservationWrapper):
    def __init__(self, env):
        super().__init__(env)
        self.image = np.zeros(env.observation_space["image"].shape, np.uint8)

    def observation(self, observation):
        self.image[:] = observation["image"]
        return {**observation, "image": self.image}


@fault("OBS108", "CATALOG OBS108: noise in the place of the state", "Pendulum-v1 Reacher-v5 HalfCheetah-v5")
class NoiseForState(gym.ObservationWrapper):
    def observation(self, observation):
        low, high = np.clip(self.observation_space.low, -1, 1), np.clip(self.observation_space.high, -1, 1)
        return self.np_random.uniform(low, high).astype(observation.dtype)


@fault("OBS108", "FAULTS E10: observations of another worker", "Pendulum-v1 Reacher-v5 HalfCheetah-v5")
class OfAnotherWorker(gym.Wrapper):
    """What is seen comes from a second instance that plays at random."""

    def __init__(self, env):
        super().__init__(env)
        self.other = make_base(env.spec.id)

    def reset(self, *, seed=None, options=None):
        _, info = self.env.reset(seed=seed, options=options)
        observation, _ = self.other.reset(seed=None if seed is None else seed + 1000)
        if seed is not None:
            self.other.action_space.seed(seed)
        return observation, info

    def step(self, action):
        observation, _, terminated, truncated, _ = self.other.step(self.other.action_space.sample())
        if terminated or truncated:
            observation, _ = self.other.reset()
        return observation, *self.env.step(action)[1:]


@fault("OBS109", "FAULTS O03: never divided", PICTURES)
class FloatImage(gym.ObservationWrapper):
    def __init__(self, env):
        super().__init__(env)
        self.observation_space = gym.spaces.Box(0.0, 255.0, env.observation_space.shape, np.float32)

    def observation(self, observation):
        return observation.astype(np.float32)


@fault("OBS109", "FAULTS O03: divided twice", PICTURES)
class ImageDividedTwice(gym.ObservationWrapper):
    def __init__(self, env):
        super().__init__(env)
        self.observation_space = gym.spaces.Box(0.0, 1.0, env.observation_space.shape, np.float32)

    def observation(self, observation):
        return (observation / 255.0 / 255.0).astype(np.float32)


@fault("OBS109 OBS105", "FAULTS O03: declared divided, never divided", PICTURES)
class ImageDeclaredDivided(gym.ObservationWrapper):
    def __init__(self, env):
        super().__init__(env)
        self.observation_space = gym.spaces.Box(0.0, 1.0, env.observation_space.shape, np.float32)

    def observation(self, observation):
        return observation.astype(np.float32)


@fault("OBS109 OBS101 OBS102", "FAULTS O03: divided and made whole numbers again", PICTURES)
class ImageInWholeNumbers(gym.ObservationWrapper):
    def observation(self, observation):
        return (observation / 255.0).astype(np.uint8)


@fault("OBS109", "CATALOG OBS109: channels in the middle", PICTURES)
class ChannelsInTheMiddle(gym.ObservationWrapper):
    def __init__(self, env):
        super().__init__(env)
        height, width, channels = env.observation_space.shape
        self.observation_space = gym.spaces.Box(0, 255, (height, channels, width), np.uint8)

    def observation(self, observation):
        return np.ascontiguousarray(observation.transpose(0, 2, 1))


@fault("OBS102", "practice: half of the sensors switched off by a mask", "CartPole-v1 Acrobot-v1 Reacher-v5")
class HalfMasked(gym.ObservationWrapper):
    def observation(self, observation):
        return np.where(np.arange(len(observation)) < len(observation) // 2, observation, 0.0).astype(np.float32)
