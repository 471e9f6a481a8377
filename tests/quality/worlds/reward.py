"""Faults of what is paid."""

from __future__ import annotations

from typing import ClassVar

import gymnasium as gym
import numpy as np

from tests.quality.worlds.planted import fault


@fault("REW101", "practice: the reward was never filled in", "CartPole-v1 Pendulum-v1 FrozenLake-v1 HalfCheetah-v5")
class ZeroReward(gym.RewardWrapper):
    def reward(self, reward):
        return 0.0


@fault("REW101", "practice: a division of whole numbers", "CartPole-v1 Acrobot-v1 MountainCar-v0")
class RoundedToNothing(gym.RewardWrapper):
    def reward(self, reward):
        return float(int(reward / 500))


@fault(
    "REW102 TSK103 REW101",
    "CATALOG REW102: only the perfect episode pays",
    "CartPole-v1 Hopper-v5 InvertedPendulum-v5",
    level="info",
)
class OnlyPerfectPays(gym.Wrapper):
    """No alarm where the search meets the reward: then learning can, too."""

    def reset(self, *, seed=None, options=None):
        self.steps = 0
        return self.env.reset(seed=seed, options=options)

    def step(self, action):
        observation, _, terminated, truncated, info = self.env.step(action)
        self.steps += 1
        return observation, float(self.steps == 450), terminated, truncated, info


@fault(
    "REW102 TSK103 REW101",
    "CATALOG REW102: one unit at a goal that play does not meet",
    "MountainCar-v0 Pendulum-v1 Reacher-v5",
    level="info",
)
class OneAtTheGoal(gym.Wrapper):
    """The costs on the way are gone: the goal of the car, or standing still upright, or touching to a hair.

    No alarm where the search meets it.
    """

    def step(self, action):
        observation, reward, terminated, truncated, info = self.env.step(action)
        return observation, float(terminated or -1e-4 < reward < 0), terminated, truncated, info


@fault(
    "REW102",
    "practice: the return is paid at the end of a long episode",
    "HalfCheetah-v5 Pendulum-v1 Swimmer-v5",
    level="info",
)
class PaidAtTheEnd(gym.Wrapper):
    def reset(self, *, seed=None, options=None):
        self.owed = 0.0
        return self.env.reset(seed=seed, options=options)

    def step(self, action):
        observation, reward, terminated, truncated, info = self.env.step(action)
        self.owed += float(reward)
        return observation, self.owed if terminated or truncated else 0.0, terminated, truncated, info


@fault("REW103", "FAULTS R02 a thousand times over", "CartPole-v1 Pendulum-v1 Reacher-v5 Taxi-v4")
class DrownedInNoise(gym.RewardWrapper):
    def reward(self, reward):
        return float(reward + 1000.0 * self.np_random.normal())


@fault("REW104", "FAULTS R06", "CartPole-v1 Pendulum-v1 HalfCheetah-v5")
class MillionFold(gym.RewardWrapper):
    def reward(self, reward):
        return float(reward) * 1e6


@fault("REW104", "FAULTS R06", "CartPole-v1 Acrobot-v1 Hopper-v5")
class ThousandFold(gym.RewardWrapper):
    def reward(self, reward):
        return float(reward) * 1000.0


@fault("REW105 REW107", "CATALOG REW105: every episode pays the same", "CartPole-v1 Acrobot-v1 Hopper-v5")
class OneAtEveryEnd(gym.Wrapper):
    def step(self, action):
        observation, _, terminated, truncated, info = self.env.step(action)
        return observation, float(terminated or truncated), terminated, truncated, info


@fault("REW105 REW107", "practice: rewards normalised to a sum of 1", "Pendulum-v1 Reacher-v5 HalfCheetah-v5")
class ShareOfTheEpisode(gym.Wrapper):
    def step(self, action):
        observation, _, *rest = self.env.step(action)
        return observation, 1.0 / self.spec.max_episode_steps, *rest


@fault("REW106", "FAULTS E11: the weight of the control cost", {
    "HalfCheetah-v5": {"ctrl_cost_weight": 30.0},
    "Reacher-v5": {"reward_control_weight": 50.0},
    "Swimmer-v5": {"ctrl_cost_weight": 10.0},
})  # fmt: skip
def control_cost_rules(env):
    return env


@fault("REW106", "CATALOG REW106", "CartPole-v1 Pendulum-v1 Acrobot-v1")
class CentringRules(gym.Wrapper):
    """A term for the middle, with a weight from another task."""

    def step(self, action):
        observation, reward, terminated, truncated, info = self.env.step(action)
        centring = -50.0 * float(observation[0]) ** 2
        info = {**info, "reward_task": float(reward), "reward_centring": centring}
        return observation, float(reward) + centring, terminated, truncated, info


@fault("REW106", "CATALOG REW106: components that cancel out", "HalfCheetah-v5 Pendulum-v1 CartPole-v1")
class BonusAndPenaltyCancel(gym.Wrapper):
    def step(self, action):
        observation, reward, terminated, truncated, info = self.env.step(action)
        bonus = 10.0 * float(np.tanh(observation[-1]))
        parts = {"reward_task": float(reward), "reward_bonus": bonus, "reward_penalty": -bonus}
        return observation, float(reward), terminated, truncated, {**info, **parts}


@fault("REW107 REW105", "CATALOG REW107", "Pendulum-v1 HalfCheetah-v5 Reacher-v5")
class AlwaysOne(gym.RewardWrapper):
    def reward(self, reward):
        return 1.0


@fault("REW107 REW105", "practice: a bonus that hides the task", "Pendulum-v1 Reacher-v5 Swimmer-v5")
class AlmostAlwaysOne(gym.RewardWrapper):
    def reward(self, reward):
        return float(1.0 + 1e-7 * reward)


@fault("REW108", "practice: one over a distance", "Pendulum-v1 Reacher-v5 CartPole-v1")
class InverseDistance(gym.Wrapper):
    def step(self, action):
        observation, _, *rest = self.env.step(action)
        distance = abs(float(observation[-1]))
        return observation, 1.0 / (distance**2 + 1e-7), *rest


@fault("REW108", "CATALOG REW108: glitches of a sensor", "CartPole-v1 HalfCheetah-v5 Pendulum-v1")
class Glitches(gym.RewardWrapper):
    def reward(self, reward):
        return float(reward + 1e4 * (self.np_random.random() < 0.003))


@fault("REW109 ENV108", "FAULTS R01", "CartPole-v1 Pendulum-v1 MountainCar-v0", automaton={
    "CartPole-v1": "cart_pole",
    "Pendulum-v1": "pendulum",
    "MountainCar-v0": "mountain_car",
})  # fmt: skip
class Negated(gym.RewardWrapper):
    def reward(self, reward):
        return -float(reward)


@fault("REW109", "FAULTS R01", "FrozenLake-v1 MiniGrid-Empty-5x5-v0 Acrobot-v1", metric="is_success")
class NegatedWithSuccess(gym.Wrapper):
    def step(self, action):
        observation, reward, terminated, truncated, info = self.env.step(action)
        success = reward > 0 or (terminated and self.spec.id.startswith("Acrobot"))
        return observation, -float(reward), terminated, truncated, {**info, "is_success": bool(success)}


@fault("REW109", "FAULTS R01: the distance is paid, not its opposite", "Reacher-v5 Pendulum-v1", metric="closeness")
class DistancePaid(gym.Wrapper):
    def step(self, action):
        observation, reward, terminated, truncated, info = self.env.step(action)
        return observation, -float(reward), terminated, truncated, {**info, "closeness": float(reward)}


@fault("REW110", "FAULTS R04: Gymnasium's ClipReward", "Taxi-v4 CliffWalking-v1 Pendulum-v1")
def clip_wrapper(env):
    return gym.wrappers.ClipReward(env, -1.0, 1.0)


@fault("REW110", "FAULTS R04: an own wrapper", "Taxi-v4 MountainCarContinuous-v0 CliffWalking-v1",
       automaton={"MountainCarContinuous-v0": "mountain_car_continuous"})  # fmt: skip
class OwnClip(gym.RewardWrapper):
    def reward(self, reward):
        return float(np.clip(reward, -1.0, 1.0))


@fault("REW111", "CATALOG REW111: the logarithm of a negative", "Pendulum-v1 HalfCheetah-v5 CartPole-v1")
class NanRewardAtTimes(gym.Wrapper):
    """Now and then, at the edge of the range."""

    edges: ClassVar = {"Pendulum-v1": 6.0, "HalfCheetah-v5": 12.0, "CartPole-v1": 2.2}

    def step(self, action):
        observation, reward, *rest = self.env.step(action)
        with np.errstate(invalid="ignore"):
            bonus = np.log(np.float64(observation[-1]) + self.edges[self.spec.id])
        return observation, float(reward + 0.01 * bonus), *rest


@fault("REW111", "practice: an infinite fine", "CartPole-v1 Hopper-v5 FrozenLake-v1")
class InfiniteFine(gym.Wrapper):
    def step(self, action):
        observation, reward, terminated, *rest = self.env.step(action)
        return observation, float(reward) - (np.inf if terminated and reward <= 1 else 0.0), terminated, *rest


@fault("REW112", "FAULTS R07", "MountainCar-v0 Reacher-v5 CartPole-v1", shaping="reward_shaping")
class PaysForLoops(gym.Wrapper):
    """Every step towards the goal is paid and no step back is charged."""

    def reset(self, *, seed=None, options=None):
        observation, info = self.env.reset(seed=seed, options=options)
        self.last = self.near(observation)
        return observation, info

    def step(self, action):
        observation, reward, terminated, truncated, info = self.env.step(action)
        now = self.near(observation)
        shaping, self.last = 100.0 * max(0.0, now - self.last), now
        return observation, float(reward) + shaping, terminated, truncated, {**info, "reward_shaping": shaping}

    def near(self, observation):
        if self.spec.id.startswith("Reacher"):
            return -float(np.hypot(*observation[8:10]))
        return float(observation[0]) if self.spec.id.startswith("Mountain") else -abs(float(observation[0]))


@fault("REW110", "FAULTS R03: the reward of the step before", "Pendulum-v1 MountainCarContinuous-v0")
class LateReward(gym.Wrapper):
    def reset(self, **given):
        self.owed = 0.0
        return self.env.reset(**given)

    def step(self, action):
        observation, reward, *rest = self.env.step(action)
        paid, self.owed = self.owed, float(reward)
        return observation, paid, *rest


@fault("REW110", "practice: steps repeated, and only the last of them paid", "Pendulum-v1 MountainCarContinuous-v0")
class LastOfFourPaid(gym.Wrapper):
    def step(self, action):
        for _ in range(4):
            observation, reward, terminated, truncated, info = self.env.step(action)
            if terminated or truncated:
                break
        return observation, reward, terminated, truncated, info


@fault("REW105 REW103 OBS108", "practice: a score that nobody connected to the game", "CartPole-v1 Pendulum-v1")
class PaidByChance(gym.Wrapper):
    def step(self, action):
        observation, _, *rest = self.env.step(action)
        return observation, float(self.np_random.normal()), *rest
