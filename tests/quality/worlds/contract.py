"""Faults of the contract: what reset and step take and give back."""

from __future__ import annotations

import gymnasium as gym
import numpy as np

from tests.quality.worlds.planted import fault

OLD = "practice: written for Gym before 0.26"


@fault("ENV101", OLD, "CartPole-v1 Pendulum-v1 FrozenLake-v1")
class OldStep(gym.Wrapper):
    def step(self, action):
        observation, reward, terminated, truncated, info = self.env.step(action)
        return observation, reward, terminated or truncated, info


@fault("ENV101", OLD, "CartPole-v1 MountainCar-v0 HalfCheetah-v5")
class OldReset(gym.Wrapper):
    def reset(self, *, seed=None, options=None):
        return self.env.reset(seed=seed, options=options)[0]


@fault("ENV101", OLD, "CartPole-v1 Pendulum-v1 Taxi-v4")
class ResetWithoutSeed(gym.Wrapper):
    def reset(self):
        return self.env.reset()


@fault("ENV101", "practice: flags computed as numbers", "CartPole-v1 Hopper-v5 FrozenLake-v1")
class FlagsAsNumbers(gym.Wrapper):
    def step(self, action):
        observation, reward, terminated, truncated, info = self.env.step(action)
        return observation, reward, int(terminated), int(truncated), info


@fault("ENV101", "practice: a branch that returns nothing for the flag", "CartPole-v1 Acrobot-v1 MiniGrid-Empty-5x5-v0")
class TruncatedIsNone(gym.Wrapper):
    def step(self, action):
        observation, reward, terminated, truncated, info = self.env.step(action)
        return observation, reward, terminated, truncated or None, info


@fault("ENV101", "practice: the reward of an array computation", "Pendulum-v1 HalfCheetah-v5 MountainCarContinuous-v0")
class RewardAsArray(gym.Wrapper):
    def step(self, action):
        observation, reward, terminated, truncated, info = self.env.step(action)
        return observation, np.array([reward]), terminated, truncated, info


@fault("ENV101", "practice: no reward on the branch where nothing happens", "FrozenLake-v1 Taxi-v4 Reacher-v5")
class RewardIsNone(gym.Wrapper):
    def step(self, action):
        observation, reward, terminated, truncated, info = self.env.step(action)
        return observation, reward if terminated or reward > 1 else None, terminated, truncated, info


@fault("ENV101", "CATALOG ENV101: dtypes", "CartPole-v1 Pendulum-v1 Acrobot-v1")
class DoublePrecision(gym.ObservationWrapper):
    def observation(self, observation):
        return observation.astype(np.float64)


@fault("ENV101", "CATALOG ENV101: shapes; a batch axis left over", "CartPole-v1 HalfCheetah-v5 Reacher-v5")
class BatchAxis(gym.ObservationWrapper):
    def observation(self, observation):
        return observation[None]


@fault("ENV101", "practice: a list from a simulator's interface", "CartPole-v1 MountainCar-v0 Swimmer-v5")
class PlainList(gym.ObservationWrapper):
    def observation(self, observation):
        return observation.tolist()


@fault("ENV101", "practice: info left out", "CartPole-v1 Reacher-v5 CliffWalking-v1")
class InfoIsNone(gym.Wrapper):
    def reset(self, *, seed=None, options=None):
        return self.env.reset(seed=seed, options=options)[0], None

    def step(self, action):
        return *self.env.step(action)[:4], None


@fault("ENV101 OBS105", "FAULTS E11: the space of another version of the task", "CartPole-v1 Pendulum-v1 Hopper-v5")
class SpaceOfAnotherTask(gym.Wrapper):
    def __init__(self, env):
        super().__init__(env)
        size = env.observation_space.shape[0] + 2
        self.observation_space = gym.spaces.Box(-np.inf, np.inf, (size,), env.observation_space.dtype)


@fault("ENV101 ENV111", "practice: the action converted for one library only", "CartPole-v1 Acrobot-v1 Taxi-v4")
class WantsOneHot(gym.Wrapper):
    """Takes a batch of one-hot rows although the space says Discrete: the first step raises."""

    def step(self, action):
        return self.env.step(int(np.argmax(action, axis=1)[0]))


@fault("ENV106", "practice: a try that keeps a long training alive", "CartPole-v1 Pendulum-v1 HalfCheetah-v5")
class SwallowedException(gym.Wrapper):
    """The sensor fails in some states; the last observation is handed out again."""

    def reset(self, *, seed=None, options=None):
        self.last, info = self.env.reset(seed=seed, options=options)
        return self.last, info

    def step(self, action):
        observation, *rest = self.env.step(action)
        try:
            if observation[-1] > 0.4:
                raise RuntimeError("sensor out of range")
            self.last = observation
        except Exception:
            pass
        return self.last, *rest


@fault("ENV106", "CATALOG ENV106: non-finite values replaced", "CartPole-v1 Pendulum-v1 HalfCheetah-v5")
class NanToNum(gym.ObservationWrapper):
    """The logarithm of what may be negative, with the holes filled."""

    def observation(self, observation):
        observation = observation.copy()
        observation[-1] = np.nan_to_num(np.log(observation[-1]), neginf=0.0)
        return observation


@fault("ENV106", "practice: exceptions go to a log that nobody reads", "CartPole-v1 Taxi-v4 Hopper-v5")
class LoggedException(gym.Wrapper):
    def reset(self, *, seed=None, options=None):
        self.steps, start = 0, self.env.reset(seed=seed, options=options)
        return start

    def step(self, action):
        import logging

        observation, reward, terminated, truncated, info = self.env.step(action)
        self.steps += 1
        try:
            info["bonus"] = 1.0 / (self.steps % 7)
        except ZeroDivisionError:
            logging.getLogger("simulator").exception("bonus failed")
            reward = 0.0
        return observation, reward, terminated, truncated, info


@fault("ENV106", "practice: a solver that says it did not converge", "HalfCheetah-v5 Pendulum-v1 Acrobot-v1")
class WarnsInStep(gym.Wrapper):
    def step(self, action):
        import warnings

        observation, *rest = self.env.step(action)
        if observation[-1] > 0.5:
            warnings.warn("solver did not converge, residual 3.1e-2", RuntimeWarning, stacklevel=2)
        return observation, *rest


@fault("ENV106", "practice: a traceback printed and forgotten", "MountainCar-v0 FrozenLake-v1 Reacher-v5")
class PrintsTraceback(gym.Wrapper):
    def step(self, action):
        import traceback

        observation, *rest = self.env.step(action)
        self.steps = getattr(self, "steps", 0) + 1
        if self.steps % 25 == 0:
            try:
                {}["camera"]
            except KeyError:
                traceback.print_exc()
        return observation, *rest
