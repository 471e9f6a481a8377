"""Environments of Stable-Baselines3 and TorchRL, seen as one environment of arrays."""

from __future__ import annotations

import gymnasium as gym
import numpy as np
import pytest
from gymnasium import spaces

from tests.survey.small import Slider, later, prepared
from tests.survey.test_surveyed import NUMBERS, QUICK, Anything, looked_at
from tests.surveying import UNHURRIED
from weaklink.base.errors import UsageError
from weaklink.base.evidence.survey import TERMINATED, TRUNCATED
from weaklink.collect.survey import SurveyPlan, surveyed
from weaklink.collect.survey.sampler import make_random_policy, play


class TestStableBaselines:
    def stack(self, **how):
        from stable_baselines3.common.vec_env import DummyVecEnv, VecNormalize

        return VecNormalize(DummyVecEnv([lambda: gym.wrappers.TimeLimit(Slider(), 12)] * 2), **how)

    def test_a_normalised_stack_gives_the_raw_rewards(self):
        found = looked_at(lambda: self.stack(clip_reward=0.1), SurveyPlan(seconds=60, steps=200, episodes=3))
        assert found.facts["clip_reward"] == 0.1
        assert found.facts["normalises_rewards"]
        assert found.facts["wrappers"] == ["VecNormalize", "DummyVecEnv"]
        assert found.members.count == 2
        play = found.plays["random"]
        assert play.rewards.min() == pytest.approx(-0.1)
        assert play.raw_rewards.shape == play.rewards.shape
        assert play.raw_rewards.min() < -2.0
        unclipped = play.rewards > -0.099
        ratio = play.rewards[unclipped] / play.raw_rewards[unclipped]
        assert ratio == pytest.approx(np.full(len(ratio), ratio[0]), rel=1e-3), "the normaliser is held still"

    def test_without_a_normaliser_there_are_no_other_rewards(self):
        from stable_baselines3.common.vec_env import DummyVecEnv

        session, environment = prepared(lambda: DummyVecEnv([Slider] * 2))
        act = make_random_policy(environment.action, session.rng)
        found = play(session, environment, act, policy="random", steps=50, episodes=2, until=later(), keep=50)
        assert found.raw_rewards is None
        assert environment.facts["framework"] == "sb3"

    @pytest.mark.parametrize("warmed", [False, pytest.param(True, marks=pytest.mark.whole)])
    def test_a_stack_that_was_handed_in_is_left_as_it_was(self, warmed):
        stack = self.stack()
        stack.reset()
        for _ in range(300 * warmed):
            stack.step(np.zeros((2, 2)))
        names = ("mean", "var", "count")
        before = [np.copy(getattr(rms, name)) for rms in (stack.obs_rms, stack.ret_rms) for name in names]
        surveyed(stack, QUICK)
        after = [getattr(rms, name) for rms in (stack.obs_rms, stack.ret_rms) for name in names]
        assert all(map(np.array_equal, after, before))
        assert stack.training


class TestTorchRL:
    pytestmark = pytest.mark.filterwarnings(
        "ignore::DeprecationWarning", "ignore::UserWarning", "ignore::FutureWarning"
    )

    def test_a_torchrl_environment(self):
        import torch
        from torchrl.envs import GymEnv, StepCounter, TransformedEnv

        torch.manual_seed(3)
        before = torch.get_rng_state()
        make = lambda: TransformedEnv(GymEnv("CartPole-v1"), StepCounter(max_steps=20))  # noqa: E731
        found = looked_at(make, SurveyPlan(seconds=UNHURRIED, steps=100, episodes=3))
        assert found.facts["framework"] == "torchrl"
        assert found.facts["wrappers"] == ["StepCounter"]
        assert found.observation.size == 4
        assert found.action.choices == (2,)
        assert found.plays["random"].lengths.max() <= 20
        assert found.comparisons
        assert all(one.differs_at is None for one in found.comparisons)
        assert torch.equal(torch.get_rng_state(), before), "its generator is put back"

    def played(self, make, steps=60):
        session, environment = prepared(make)
        act = make_random_policy(environment.action, np.random.default_rng(0))
        found = play(session, environment, act, policy="random", steps=steps, episodes=1, until=later(), keep=steps)
        assert session.faults == []
        return environment, found

    def test_an_episode_is_that_of_the_environment_inside(self):
        from torchrl.envs import GymEnv

        environment, found = self.played(lambda: GymEnv("CartPole-v1"))
        env = gym.make("CartPole-v1")
        act = make_random_policy(environment.action, np.random.default_rng(0))
        env.reset(seed=0)
        observation, _ = env.reset()  # TorchRL resets once to seed and once to begin
        for step in range(int(found.lengths[0])):
            assert found.observations[step] == pytest.approx(observation)
            observation, _, terminated, _, _ = env.step(int(act(observation)))
            assert found.successors[step] == pytest.approx(observation)
        assert terminated
        assert found.ends[0] == TERMINATED

    def test_a_time_limit_is_told_from_an_end(self):
        from torchrl.envs import GymEnv, StepCounter, TransformedEnv

        _, found = self.played(lambda: TransformedEnv(GymEnv("Pendulum-v1"), StepCounter(max_steps=7)))
        assert set(found.ends.tolist()) == {TRUNCATED}
        assert set(found.lengths.tolist()) == {7}

    def test_continuous_actions_have_their_bounds(self):
        from torchrl.envs import GymEnv

        environment, found = self.played(lambda: GymEnv("Pendulum-v1"))
        assert [(column.low, column.high) for column in environment.action.columns] == [(-2.0, 2.0)]
        assert np.abs(found.actions).max() > 1.0

    @pytest.mark.parametrize("one_hot", [True, False])
    def test_choices_are_seen_as_choices(self, one_hot):
        from torchrl.envs import GymEnv

        make = lambda: GymEnv("FrozenLake-v1", categorical_action_encoding=not one_hot)  # noqa: E731
        environment, found = self.played(make)
        assert environment.observation.choices == (16,)
        assert environment.action.choices == (4,)
        lake = gym.make("FrozenLake-v1").unwrapped
        reachable = {
            (state, action): {outcome[1] for outcome in lake.P[state][action]}
            for state in range(16)
            for action in range(4)
        }
        for before, action, after in zip(found.observations, found.actions, found.successors, strict=True):
            assert int(after[0]) in reachable[int(before[0]), int(action[0])]

    @pytest.mark.parametrize("one_hot", [True, False])
    def test_several_observations_are_a_dict_and_several_choices_one_action(self, one_hot):
        from torchrl.envs import GymWrapper

        space = spaces.Dict({"gear": spaces.Discrete(3), "arm": NUMBERS, "switches": spaces.MultiDiscrete([2, 4])})
        make = lambda: GymWrapper(  # noqa: E731
            Anything(space, spaces.MultiDiscrete([3, 2])), categorical_action_encoding=not one_hot
        )
        environment, found = self.played(make, steps=30)
        assert environment.observation.kind == "dict"
        assert [column.label for column in environment.observation.columns] == [
            "arm[0]", "arm[1]", "arm[2]", "gear", "switches[0]", "switches[1]",
        ]  # fmt: skip
        highest = found.observations.max(axis=0)
        assert highest[3:].tolist() == [2.0, 1.0, 3.0]
        assert environment.action.choices == (3, 2)
        assert found.actions.max(axis=0).tolist() == [2.0, 1.0]

    def test_a_batch_is_refused(self):
        from torchrl.envs import GymEnv, SerialEnv

        with pytest.raises(UsageError, match="without a batch"):
            surveyed(lambda: SerialEnv(2, lambda: GymEnv("CartPole-v1")), QUICK)
