"""Whole surveys of environments of every kind, in this process."""

from __future__ import annotations

import random

import numpy as np
import pytest

pytest.importorskip("gymnasium")

import gymnasium as gym
from gymnasium import spaces

from tests.survey.small import Scripted, Slider, later, prepared
from weaklink.errors import UsageError
from weaklink.evidence.survey import TERMINATED, TRUNCATED
from weaklink.survey import Plan, surveyed
from weaklink.survey.sampler import play, random_policy

SMALL = Plan(seconds=60, steps=400, episodes=10)
QUICK = Plan(seconds=4, steps=100, episodes=3)


def looked_at(thing, plan=SMALL, **more):
    """A survey that comes to its end without a fault of the environment's or of ours."""
    found = surveyed(thing, plan, **more)
    assert found.faults == ()
    assert found.notes == ()
    return found


def test_everything_is_there():
    told = []
    found = looked_at("CartPole-v1", report=lambda stage, steps: told.append((stage, steps)))
    assert found.name == "CartPole-v1"
    assert found.facts["max_episode_steps"] == 500
    assert found.facts["reward_threshold"] == 475.0
    assert found.facts["framework"] == "gymnasium"
    assert {"random", "constant", "tabular", "search"} == set(found.plays)
    assert all(play.episodes >= 10 for play in found.plays.values())
    assert len(found.plays["random"].rewards) >= 400
    for part in ("comparisons", "resets", "sweeps", "endings", "timing", "memory"):
        assert part in found
    assert (found.same_whatever_done, found.in_place, found.swallowed) == (False, "", ())
    assert found.members is None
    assert found.timing.steps_per_second > 100
    assert found.seconds > 0
    assert found.labels == tuple(f"observation[{place}]" for place in range(4))
    stages = [stage for stage, _ in told]
    assert stages[0] == "making the environment"
    assert "random play" in stages
    assert [steps for _, steps in told] == sorted(steps for _, steps in told)


class Anything(gym.Env):
    """Any two spaces: what is seen is drawn, what is done is checked, ten steps an episode."""

    def __init__(self, observation_space, action_space) -> None:
        self.observation_space, self.action_space = observation_space, action_space

    def reset(self, *, seed=None, options=None):
        if seed is not None:
            self.observation_space.seed(seed)
        super().reset(seed=seed)
        self.left = 10
        return self.observation_space.sample(), {}

    def step(self, action):
        assert action in self.action_space, action
        self.left -= 1
        return self.observation_space.sample(), 1.0, self.left == 0, False, {}


NUMBERS = spaces.Box(-1.0, 1.0, (3,), np.float32)
SPACES = {
    "dict": spaces.Dict(
        {"arm": NUMBERS, "gear": spaces.Discrete(3), "deep": spaces.Dict({"x": spaces.MultiBinary(2)})}
    ),
    "tuple": spaces.Tuple((NUMBERS, spaces.Discrete(4, start=-2))),
    "multi-discrete": spaces.MultiDiscrete([3, 2, 4]),
    "matrix": spaces.Box(-2.0, 2.0, (2, 2), np.float64),
    "one number": spaces.Box(-1.0, 1.0, (), np.float32),
    "unbounded": spaces.Box(-np.inf, np.inf, (2,), np.float64),
}


@pytest.mark.parametrize("name", SPACES)
def test_spaces_of_every_kind_are_seen_and_done(name):
    space = SPACES[name]
    found = looked_at(lambda: Anything(space, space), QUICK)
    play = found.plays["random"]
    assert found.observation.size == play.observations.shape[1] == len(found.labels)
    assert found.action.size == play.actions.shape[1]
    assert not [complaint for complaint in found.complaints if complaint.level == "error"]


def test_pictures():
    picture = spaces.Box(0, 255, (48, 48, 3), np.uint8)
    found = looked_at(lambda: Anything(spaces.Dict({"eye": picture, "x": NUMBERS}), spaces.Discrete(2)), QUICK)
    assert list(found.observation.images) == ["eye"]
    assert found.plays["random"].observations.shape[1] == len(found.seen_columns) == len(found.labels) == 2048
    assert set(found.column_kinds) == {"pixel", "number"}


class Reach(gym.Env):
    """A goal to reach, as the environments of Gymnasium-Robotics tell it."""

    observation_space = spaces.Dict(dict.fromkeys(("observation", "achieved_goal", "desired_goal"), NUMBERS))
    action_space = NUMBERS

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.goal, self.place = (self.np_random.uniform(-1, 1, 3).astype(np.float32) for _ in range(2))
        return self.seen(), {}

    def step(self, action):
        self.place = np.clip(self.place + 0.2 * action, -1, 1).astype(np.float32)
        near = bool(np.abs(self.place - self.goal).max() < 0.3)
        return self.seen(), float(near) - 1.0, False, False, {"is_success": near}

    def seen(self):
        return {"observation": self.place.copy(), "achieved_goal": self.place.copy(), "desired_goal": self.goal.copy()}


def test_goals():
    found = looked_at(
        lambda: gym.wrappers.TimeLimit(Reach(), 30), Plan(seconds=60, steps=400, episodes=10, metric="is_success")
    )
    assert found.observation.is_goal
    assert found.goal_metric == "is_success"
    assert set(found.plays["random"].metrics) == {"is_success"}
    assert found.labels[0] == "achieved_goal[0]"
    assert len(found.sweeps) == 3
    assert "zero" in found.plays


def test_text_can_be_seen_but_not_done():
    found = looked_at(lambda: Anything(spaces.Text(5), spaces.Discrete(2)), QUICK)
    assert found.observation.kind == "other"
    assert found.plays["random"].observations is None
    assert found.plays["random"].episodes >= 3
    for space in (spaces.Text(5), spaces.Dict({"x": NUMBERS, "say": spaces.Text(5)})):
        with pytest.raises(UsageError, match="no array of numbers"):
            surveyed(lambda space=space: Anything(NUMBERS, space), QUICK)


@pytest.mark.parametrize(
    "make", [Slider, lambda: Slider(), lambda: gym.make("CartPole-v1")], ids=["class", "function", "made"]
)
def test_a_class_and_a_function_make_new_instances(make):
    found = looked_at(make, QUICK)
    assert {one.kind for one in found.comparisons} == {"fresh", "repeated", "after_play"}


def test_an_object_is_surveyed_as_it_is_and_stays_in_use():
    class Closes(gym.Wrapper):
        closed = False

        def close(self):
            self.closed = True

    env = Closes(gym.make("CartPole-v1"))
    step = env.unwrapped.step.__func__
    found = looked_at(env, QUICK)
    assert {one.kind for one in found.comparisons} == {"repeated"}
    assert found.name == "CartPole-v1"
    assert found.plays["random"].raw_rewards is not None
    assert not env.closed, "it is somebody else's"
    assert env.unwrapped.step.__func__ is step, "what was put in to listen is taken out"
    assert looked_at(Slider(), QUICK, name="mine").name == "mine"


def test_arguments_are_handed_on():
    found = looked_at("FrozenLake-v1", Plan(seconds=2, steps=100, episodes=3, arguments={"map_name": "8x8"}))
    assert found.observation.choices == (64,)


@pytest.mark.parametrize(
    ("thing", "told"),
    [
        ("NoSuchThing-v0", "no environment NoSuchThing-v0"),
        ("CartPole-v99", "CartPole-v99"),
        ("no_such_module:make", "cannot import no_such_module"),
        ("tests.survey.small:Nothing", "no 'Nothing'"),
        (lambda: None, "NoneType is none"),
        (lambda: {"observation_space": 1}, "dict is none"),
        (3, "int is none"),
    ],
)
def test_what_is_no_environment_is_wrong_use(thing, told):
    with pytest.raises(UsageError) as raised:
        surveyed(thing, SMALL)
    assert told in str(raised.value)


def test_the_global_generators_are_put_back():
    class Seeds(Slider):
        def reset(self, *, seed=None, options=None):
            random.seed(1)
            np.random.seed(1)  # noqa: NPY002
            return super().reset(seed=seed)

    random.seed(5)
    np.random.seed(5)  # noqa: NPY002
    before = random.getstate(), np.random.get_state()[1].tolist()  # noqa: NPY002
    looked_at(Seeds, QUICK)
    assert (random.getstate(), np.random.get_state()[1].tolist()) == before  # noqa: NPY002


def test_what_was_seen_before_a_fault_is_there():
    found = surveyed(lambda: Scripted((20,), raises_at=1100), SMALL)
    assert found.faults[0].message == "ZeroDivisionError: no such step"
    assert found.observation is not None
    assert found.resets is not None


def test_the_time_is_kept():
    found = looked_at("CartPole-v1", Plan(seconds=3, steps=10**7, episodes=10**6))
    assert found.seconds < 12
    assert "random" in found.plays


class TestStableBaselines:
    @pytest.fixture(autouse=True)
    def _sb3(self):
        pytest.importorskip("stable_baselines3")

    def stack(self, **how):
        from stable_baselines3.common.vec_env import DummyVecEnv, VecNormalize

        return VecNormalize(DummyVecEnv([lambda: gym.wrappers.TimeLimit(Slider(), 30)] * 2), **how)

    def test_a_normalised_stack_gives_the_raw_rewards(self):
        found = looked_at(lambda: self.stack(clip_reward=0.1), Plan(seconds=4, steps=200, episodes=3))
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
        act = random_policy(environment.action, session.rng)
        found = play(session, environment, act, policy="random", steps=50, episodes=2, until=later(), keep=50)
        assert found.raw_rewards is None
        assert environment.facts["framework"] == "sb3"

    @pytest.mark.parametrize("warmed", [False, True])
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
    @pytest.fixture(autouse=True)
    def _torchrl(self):
        pytest.importorskip("torchrl")

    pytestmark = pytest.mark.filterwarnings(
        "ignore::DeprecationWarning", "ignore::UserWarning", "ignore::FutureWarning"
    )

    def test_a_torchrl_environment(self):
        import torch
        from torchrl.envs import GymEnv, StepCounter, TransformedEnv

        torch.manual_seed(3)
        before = torch.get_rng_state()
        make = lambda: TransformedEnv(GymEnv("CartPole-v1"), StepCounter(max_steps=50))  # noqa: E731
        found = looked_at(make, Plan(seconds=6, steps=100, episodes=3))
        assert found.facts["framework"] == "torchrl"
        assert found.facts["wrappers"] == ["StepCounter"]
        assert found.observation.size == 4
        assert found.action.choices == (2,)
        assert found.plays["random"].lengths.max() <= 50
        assert found.comparisons
        assert all(one.differs_at is None for one in found.comparisons)
        assert torch.equal(torch.get_rng_state(), before), "its generator is put back"

    def played(self, make, steps=60):
        session, environment = prepared(make)
        act = random_policy(environment.action, np.random.default_rng(0))
        found = play(session, environment, act, policy="random", steps=steps, episodes=1, until=later(), keep=steps)
        assert session.faults == []
        return environment, found

    def test_an_episode_is_that_of_the_environment_inside(self):
        from torchrl.envs import GymEnv

        environment, found = self.played(lambda: GymEnv("CartPole-v1"))
        env = gym.make("CartPole-v1")
        act = random_policy(environment.action, np.random.default_rng(0))
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
