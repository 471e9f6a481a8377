"""Faults of what is done."""

from __future__ import annotations

import gymnasium as gym
import numpy as np

from tests.quality.worlds.planted import fault


def nothing(space: gym.Space) -> object:
    """The zero of an action space."""
    return np.zeros(space.shape, space.dtype) if isinstance(space, gym.spaces.Box) else 0


@fault(
    "ACT101",
    "CATALOG ACT101: the action never reaches the simulator",
    "CartPole-v1 Pendulum-v1 HalfCheetah-v5 MountainCar-v0",
)
class ActionsIgnored(gym.ActionWrapper):
    def action(self, action):
        return nothing(self.action_space)


@fault("ACT101", "FAULTS A01: something else is executed", "CartPole-v1 Reacher-v5 Taxi-v4 Swimmer-v5")
class RandomActionInstead(gym.ActionWrapper):
    """A seeded random action in the place of the one given."""

    def action(self, action):
        if isinstance(self.action_space, gym.spaces.Discrete):
            return int(self.np_random.integers(self.action_space.n))
        return self.np_random.uniform(self.action_space.low, self.action_space.high).astype(np.float32)


@fault("ACT101", "practice: a table whose keys never match", "FrozenLake-v1 MiniGrid-Empty-5x5-v0 CliffWalking-v1")
class LookupMisses(gym.ActionWrapper):
    """Keys are text, actions are numbers: always the default."""

    def action(self, action):
        return {str(number): number for number in range(self.action_space.n)}.get(action, 1)


@fault("ACT102", "CATALOG ACT102", "HalfCheetah-v5 Hopper-v5 Reacher-v5 Swimmer-v5")
class DeadActuator(gym.ActionWrapper):
    def action(self, action):
        action = action.copy()
        action[-1] = 0.0
        return action


@fault("ACT102", "practice: an index copied and not changed", "Reacher-v5 Swimmer-v5 HalfCheetah-v5")
class FirstActuatorTwice(gym.ActionWrapper):
    def action(self, action):
        action = action.copy()
        action[1] = action[0]
        return action


@fault("ACT102", "FAULTS E11: more is declared than used", "Pendulum-v1 HalfCheetah-v5 MountainCarContinuous-v0")
class DeclaredNotUsed(gym.ActionWrapper):
    def __init__(self, env):
        super().__init__(env)
        space = env.action_space
        self.action_space = gym.spaces.Box(np.append(space.low, -1), np.append(space.high, 1), dtype=space.dtype)

    def action(self, action):
        return action[:-1]


@fault("ACT103", "FAULTS A05: milli-units", "Pendulum-v1 HalfCheetah-v5 Reacher-v5")
class Thousandth(gym.ActionWrapper):
    def action(self, action):
        return (action * 1e-3).astype(np.float32)


@fault("ACT103", "FAULTS A05: divided by the range twice", "MountainCarContinuous-v0 Swimmer-v5 InvertedPendulum-v5")
class TenThousandth(gym.ActionWrapper):
    def action(self, action):
        return (action * 1e-4).astype(np.float32)


@fault(
    "ACT104",
    "FAULTS A05: rescaled once too often, then clipped",
    "Pendulum-v1 HalfCheetah-v5 Reacher-v5 MountainCarContinuous-v0",
)
class HundredfoldThenClipped(gym.ActionWrapper):
    def action(self, action):
        return np.clip(action * 100, self.action_space.low, self.action_space.high).astype(np.float32)


@fault("ACT104", "practice: only the sign is used", "Pendulum-v1 Swimmer-v5 Hopper-v5")
class OnlyTheSign(gym.ActionWrapper):
    def action(self, action):
        return (np.sign(action) * self.action_space.high).astype(np.float32)


@fault("ACT105", "CATALOG ACT105", "Pendulum-v1 Reacher-v5 HalfCheetah-v5", level="info")
class PerMille(gym.ActionWrapper):
    """Actions from 0 to 1,000 for what goes from low to high."""

    def __init__(self, env):
        super().__init__(env)
        self.action_space = gym.spaces.Box(0.0, 1000.0, env.action_space.shape, np.float32)

    def action(self, action):
        inner = self.env.action_space
        return (inner.low + action / 1000.0 * (inner.high - inner.low)).astype(np.float32)


@fault(
    "ACT106",
    "CATALOG ACT106: one code for every key of the keyboard",
    "FrozenLake-v1 Taxi-v4 CliffWalking-v1 MiniGrid-Empty-5x5-v0",
)
class WidenedSpace(gym.Wrapper):
    """Twenty times the actions there are; the others do nothing and nobody says so."""

    def __init__(self, env):
        super().__init__(env)
        self.action_space = gym.spaces.Discrete(20 * int(env.action_space.n))

    def reset(self, *, seed=None, options=None):
        self.last, info = self.env.reset(seed=seed, options=options)
        return self.last, info

    def step(self, action):
        if action >= self.env.action_space.n:
            return self.last, 0.0, False, False, {}
        self.last, *rest = self.env.step(action)
        return self.last, *rest


@fault("ACT106", "practice: a mask in info that the learner never reads", "FrozenLake-v1 Taxi-v4 CartPole-v1")
class MaskNobodyReads(WidenedSpace):
    """The same, with the mask told."""

    def step(self, action):
        *step, info = super().step(action)
        valid = np.arange(self.action_space.n) < self.env.action_space.n
        return *step, {**info, "action_mask": valid.astype(np.int8)}


@fault("ENV108 REW109", "practice: actions wired the wrong way round",
       "CartPole-v1 MountainCar-v0 Pendulum-v1 InvertedPendulum-v5",
       automaton={
           "CartPole-v1": "cart_pole",
           "MountainCar-v0": "mountain_car",
           "Pendulum-v1": "pendulum",
           "InvertedPendulum-v5": "inverted_pendulum",
       })  # fmt: skip
class WiredTheWrongWay(gym.ActionWrapper):
    def action(self, action):
        if isinstance(self.action_space, gym.spaces.Discrete):
            return int(self.action_space.n) - 1 - action
        return -action


@fault("ENV108 ACT106", "practice: the first action of an episode goes on for ever",
       "CartPole-v1 MountainCarContinuous-v0 FrozenLake-v1",
       automaton={
           "CartPole-v1": "cart_pole",
           "MountainCarContinuous-v0": "mountain_car_continuous",
           "FrozenLake-v1": "frozen_lake",
       })  # fmt: skip
class FirstActionForEver(gym.Wrapper):
    def reset(self, *, seed=None, options=None):
        self.held = None
        return self.env.reset(seed=seed, options=options)

    def step(self, action):
        self.held = action if self.held is None else self.held
        return self.env.step(self.held)


@fault("ENV108 REW109", "practice: columns of the observation swapped", "CartPole-v1 InvertedPendulum-v5",
       automaton={"CartPole-v1": "cart_pole", "InvertedPendulum-v5": "inverted_pendulum"})  # fmt: skip
class ColumnsSwapped(gym.ObservationWrapper):
    def __init__(self, env):
        super().__init__(env)
        space = env.observation_space
        self.observation_space = gym.spaces.Box(-np.inf, np.inf, space.shape, space.dtype)

    def observation(self, observation):
        return observation[::-1].copy()
