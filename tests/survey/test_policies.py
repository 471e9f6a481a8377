from __future__ import annotations

import sys

import gymnasium as gym
import numpy as np
import pytest

from tests.survey.small import Scripted, later, prepared
from tests.surveying import UNHURRIED, StepClock
from weaklink.adapters.environments import adapt_environment
from weaklink.base.errors import UsageError
from weaklink.base.outside.named import load_named
from weaklink.collect.survey import SurveyPlan, surveyed
from weaklink.collect.survey.policies import make_policy
from weaklink.collect.survey.sampler import play

SMALL = SurveyPlan(seconds=UNHURRIED, steps=200, episodes=3)

SOURCE = """
import numpy as np

def push(observation):
    return int(observation[2] + observation[3] > 0)

class Counter:
    def __init__(self):
        self.calls = 0
    def act(self, observation):
        self.calls += 1
        return 0

class Table:
    class Inner:
        best = staticmethod(push)
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with a module of policies, as the user's present one."""
    (tmp_path / "hand_written.py").write_text(SOURCE)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    yield tmp_path
    sys.modules.pop("hand_written", None)


def test_a_module_and_a_name(folder):
    assert load_named("hand_written:push", "--automaton")([0, 0, 1, 0]) == 1
    assert load_named("hand_written:Table.Inner.best", "--automaton")([0, 0, -1, 0]) == 0


def test_a_file_and_a_name(folder):
    assert load_named(f"{folder}/hand_written.py:push", "--automaton")([0, 0, 1, 0]) == 1
    assert load_named("./hand_written.py:Counter", "--automaton").__name__ == "Counter"


@pytest.mark.parametrize(
    ("word", "told"),
    [
        ("push", "module:name or file.py:name, not 'push'"),
        ("hand_written:", "module:name"),
        (":push", "module:name"),
        ("hand_written:pull", "has no 'pull'"),
        ("hand_written:Table.Outer.best", "has no 'Outer'"),
        ("no_such_module:push", "cannot import no_such_module"),
        ("missing.py:push", "there is no file missing.py"),
        ("needs_more.py:push", "No module named 'not_installed_here'"),
    ],
)
def test_what_cannot_be_found_is_said(folder, word, told):
    (folder / "needs_more.py").write_text("import not_installed_here\n")
    with pytest.raises(UsageError) as raised:
        load_named(word, "--automaton")
    assert told in str(raised.value)
    assert "--automaton" in str(raised.value)


def acted(thing, environment=None, **how):
    environment = environment or adapt_environment(gym.make("CartPole-v1"))
    return make_policy(thing, environment, **how)


def test_a_function_a_class_and_an_object_are_policies(folder):
    assert acted(lambda observation: 1)(None) == 1
    counter = load_named("hand_written:Counter", "")
    assert acted(counter)(None) == 0
    one = counter()
    acted(one)(None)
    assert one.calls == 1


def test_a_cheat_may_look_at_the_environment():
    environment = adapt_environment(gym.make("CartPole-v1"))
    seen = []

    def cheat(inner, observation):
        seen.append((inner, observation))
        return 1

    assert acted(cheat, environment, cheats=True)("what is seen") == 1
    assert seen == [(environment.inner, "what is seen")]
    assert acted(lambda observation: observation, cheats=True)(7) == 7
    assert acted(lambda observation, gain=2: observation * gain, cheats=True)(7) == 14


class Model:
    """Predicts as SB3 does."""

    def predict(self, observation, state=None, episode_start=None, deterministic=False):
        assert deterministic
        before = 0 if state is None else state
        return np.array([before * 0.1]), before + 1


class Plain:
    def predict(self, observation):
        return 1, None


class Bare:
    def predict(self, observation):
        return np.array(1)


class OnlyState:
    def predict(self, observation, state=None):
        return 1, state


def test_an_object_that_predicts():
    assert acted(Plain())(None) == 1
    assert acted(Bare())(None) == 1
    assert acted(OnlyState())(None) == 1
    act = acted(Model())
    assert [float(act(None)[0]) for _ in range(3)] == pytest.approx([0.0, 0.1, 0.2])


def test_a_state_is_handed_on_within_an_episode_and_not_into_the_next():
    session, environment = prepared(lambda: Scripted((3,)))
    act = make_policy(Model(), environment)
    found = play(session, environment, act, policy="policy", steps=1, episodes=2, until=later(), keep=10)
    assert found.actions[:, 0] == pytest.approx([0.0, 0.1, 0.2] * 2)


def test_an_action_that_a_policy_keeps_in_place_is_taken_when_it_is_done():
    action = np.zeros(1)

    def act(observation):
        action[0] += 0.1
        return action

    session, environment = prepared(lambda: Scripted((4,)))
    own = make_policy(act, environment)
    found = play(session, environment, own, policy="automaton", steps=1, episodes=1, until=later(), keep=10)
    assert found.actions[:, 0] == pytest.approx([0.1, 0.2, 0.3, 0.4])


@pytest.mark.parametrize("thing", [3, "word", {"act": 1}, [0, 1]])
def test_what_is_no_policy_is_said(thing):
    with pytest.raises(UsageError, match="function of the observation"):
        acted(thing)


def test_the_users_policies_are_played(folder):
    plan = SurveyPlan(seconds=UNHURRIED, steps=200, episodes=3, automaton="hand_written:push")
    found = surveyed("CartPole-v1", plan, policies={"cheat": lambda env, observation: int(env.state[2] > 0)})
    assert found.plays["automaton"].returns.mean() > found.plays["random"].returns.mean()
    assert found.plays["automaton"].told == "push"
    assert found.plays["cheat"].episodes == 3


@pytest.mark.parametrize("option", ["automaton", "cheat", "policy"])
def test_a_policy_that_is_not_there_is_said_before_anything_is_played(folder, option):
    steps = []

    class Counted(Scripted):
        def step(self, action):
            steps.append(1)
            return super().step(action)

    with pytest.raises(UsageError, match="no_such_module"):
        surveyed(Counted, SurveyPlan(seconds=UNHURRIED, steps=200, episodes=3, **{option: "no_such_module:thing"}))
    assert not steps


def test_a_policy_whose_file_is_broken_is_said_too(folder):
    (folder / "broken_policy.py").write_text("def act(observation):\n    return undefined\n\nundefined_at_import\n")
    (folder / "unreadable_policy.py").write_text("def act(:\n")
    for word in ("broken_policy.py:act", "unreadable_policy.py:act"):
        with pytest.raises(UsageError, match=word.partition(":")[0]):
            surveyed(Scripted, SurveyPlan(seconds=UNHURRIED, steps=200, episodes=3, automaton=word))


def test_a_policy_that_fails_is_no_fault_of_the_environment():
    def act(observation):
        raise KeyError("no plan for this")

    found = surveyed(Scripted, SMALL, policies={"automaton": act, "cheat": lambda observation: np.zeros(1)})
    assert found.faults == ()
    assert "automaton" not in found.plays
    assert found.plays["cheat"].episodes == 3
    assert found.notes == ("automaton: skipped, because it raised KeyError: 'no plan for this'",)


def test_a_slow_policy_is_cut_short(monkeypatch):
    StepClock.rule_over(monkeypatch)

    def act(observation):
        StepClock.now += 0.05
        return np.zeros(1)

    plan = SurveyPlan(seconds=4, steps=100, episodes=2)
    found = surveyed(lambda: StepClock(Scripted((10**6,))), plan, policies={"automaton": act})
    assert found.seconds < 5.0
    assert found.faults == ()
