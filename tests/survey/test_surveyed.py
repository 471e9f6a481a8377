"""Whole surveys of environments of every kind, in this process."""

from __future__ import annotations

import random

import gymnasium as gym
import numpy as np
import pytest
from gymnasium import spaces

from tests.sparing import spare
from tests.survey.small import Scripted, Slider
from tests.surveying import UNHURRIED, StepClock
from weaklink.base.errors import UsageError
from weaklink.collect.survey import SurveyPlan, surveyed
from weaklink.collect.survey.surveyed import find_maker, make_environment

SMALL = SurveyPlan(seconds=60, steps=400, episodes=10)
QUICK = SurveyPlan(seconds=UNHURRIED, steps=100, episodes=3)


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
    assert {"random", "constant", "q_learning", "search"} == set(found.plays)
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


@pytest.mark.parametrize("name", spare(SPACES, lambda name: name not in ("matrix", "tuple")))
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
        lambda: gym.wrappers.TimeLimit(Reach(), 30), SurveyPlan(seconds=60, steps=400, episodes=10, metric="is_success")
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
        with pytest.raises(UsageError, match="not an array of numbers"):
            surveyed(lambda space=space: Anything(NUMBERS, space), QUICK)


@pytest.mark.parametrize(
    "make", [Slider, lambda: Slider(), lambda: gym.make("CartPole-v1")], ids=["class", "function", "made"]
)
def test_a_class_and_a_function_make_new_instances(make):
    found = looked_at(make, QUICK)
    assert {one.kind for one in found.comparisons} == {"fresh", "repeated", "after_play", "in_turn"}


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
    found = looked_at(
        "FrozenLake-v1", SurveyPlan(seconds=UNHURRIED, steps=100, episodes=3, arguments={"map_name": "8x8"})
    )
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


def test_the_time_is_kept(monkeypatch):
    StepClock.rule_over(monkeypatch)
    found = looked_at(lambda: StepClock(gym.make("CartPole-v1")), SurveyPlan(seconds=3, steps=10**7, episodes=10**6))
    assert 2.5 < found.seconds < 4.0
    assert "random" in found.plays


class AnyReset(gym.Wrapper):
    """Takes whatever it is given, under a name that Gymnasium's checker does not know."""

    def reset(self, **anything):
        return self.env.reset(**anything)


def test_a_reset_that_takes_anything_is_no_complaint():
    found = surveyed(lambda: AnyReset(gym.make("CartPole-v1")), SurveyPlan(seconds=UNHURRIED, steps=200, episodes=2))
    assert [one.text for one in found.complaints if one.level == "error"] == []


def test_a_file_may_lie_in_a_folder_with_any_name(tmp_path):
    folder = tmp_path / "my project (2)"
    folder.mkdir()
    (folder / "world.py").write_text("def make():\n    return 'the world'\n")
    assert make_environment(f"{folder / 'world.py'}:make", {}) == "the world"


def test_instances_of_a_file_share_their_class_as_in_a_training(tmp_path):
    """A file that were loaded anew for each would hide what its instances share."""
    file = tmp_path / "its_own_class.py"
    lines = (
        "import gymnasium as gym",
        "class Own(gym.Wrapper): pass",
        "def make(): return Own(gym.make('CartPole-v1'))",
    )
    file.write_text("\n".join(lines))
    make, fresh = find_maker(f"{file}:make", SurveyPlan())
    one, other = make(), make()
    assert fresh
    assert one.inner is not other.inner
    assert type(one.env) is type(other.env)


class Bare(gym.Wrapper):
    """A reset that hands out what is seen and no info."""

    def reset(self, *, seed=None, options=None):
        return self.env.reset(seed=seed, options=options)[0]


@pytest.mark.parametrize(
    "space",
    [spaces.Dict(one=spaces.Discrete(2), two=spaces.Discrete(2)), spaces.Box(0.0, 1.0, (3,)), spaces.Discrete(4)],
    ids=["a dict of two", "an array", "a number"],
)
def test_a_reset_without_an_info_is_the_environments_fault(space):
    for act in (spaces.Discrete(3), spaces.Box(-1.0, 1.0, (1,))):
        found = surveyed(lambda act=act: Bare(Anything(space, act)), QUICK)
        assert "reset must return an observation and a dict of info" in found.faults[0].message
        assert found.notes == ()
