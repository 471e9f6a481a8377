"""What each wrapper changes, on real wrappers around real environments."""

from __future__ import annotations

import gymnasium as gym
import numpy as np
import pytest

from tests.worlds import changed, world
from weaklink.adapters.environments import adapt_environment
from weaklink.base.evidence.survey import Survey
from weaklink.base.finding import Level
from weaklink.collect.survey.layers import examine_layers
from weaklink.collect.survey.plan import SurveyPlan
from weaklink.collect.survey.session import SurveySession
from weaklink.judge.rules._wrappers import (
    find_end_changes,
    find_replaced_actions,
    find_reward_changes,
    list_stale_layers,
)
from weaklink.judge.rules.environment.terminal_mishandled import terminal_mishandled
from weaklink.judge.rules.reward.sign_confusion import _find_reversing_wrappers

pytestmark = pytest.mark.filterwarnings("default")


class Reversed(gym.RewardWrapper):
    def reward(self, reward):
        return -2.0 * float(reward)


class Unsigned(gym.RewardWrapper):
    def reward(self, reward):
        return abs(float(reward))


class Late(gym.Wrapper):
    def reset(self, **given):
        self.before = 0.0
        return self.env.reset(**given)

    def step(self, action):
        observation, reward, *rest = self.env.step(action)
        paid, self.before = self.before, reward
        return observation, paid, *rest


class RunningSum(gym.Wrapper):
    def reset(self, **given):
        self.total = 0.0
        return self.env.reset(**given)

    def step(self, action):
        observation, reward, *rest = self.env.step(action)
        self.total += reward
        return observation, self.total, *rest


class EveryFourth(gym.Wrapper):
    count = 0

    def step(self, action):
        observation, reward, *rest = self.env.step(action)
        self.count += 1
        return observation, reward if self.count % 4 == 0 else 0.0, *rest


class Repeat(gym.Wrapper):
    """Four steps for one; `all_paid` decides whether their rewards are added up, as they should be."""

    def __init__(self, env, all_paid=False):
        super().__init__(env)
        self.all_paid = all_paid

    def step(self, action):
        total = 0.0
        for _ in range(4):
            observation, reward, terminated, truncated, info = self.env.step(action)
            total += reward
            if terminated or truncated:
                break
        return observation, total if self.all_paid else reward, terminated, truncated, info


class Flags(gym.Wrapper):
    """The flags as a function of the flags inside."""

    def __init__(self, env, change):
        super().__init__(env)
        self.change = change

    def step(self, action):
        observation, reward, terminated, truncated, info = self.env.step(action)
        return observation, reward, *self.change(terminated, truncated), info


class Stale(gym.Wrapper):
    def reset(self, **given):
        self.now, info = self.env.reset(**given)
        return self.now, info

    def step(self, action):
        before = self.now
        self.now, *rest = self.env.step(action)
        return before, *rest


class Other(gym.Wrapper):
    """Another action than was asked for, so often."""

    def __init__(self, env, share):
        super().__init__(env)
        self.share = share

    def step(self, action):
        drawn = self.action_space.sample() if self.np_random.random() < self.share else action
        return self.env.step(drawn)


class Mixed(gym.Env):
    """An environment of one's own, with rewards of both signs or with costs."""

    observation_space, action_space = gym.spaces.Box(-1, 1, (1,)), gym.spaces.Discrete(2)

    def __init__(self, least=-1.0):
        self.least = least

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.left = 20
        return np.zeros(1, np.float32), {}

    def step(self, action):
        self.left -= 1
        return np.zeros(1, np.float32), float(self.np_random.uniform(self.least, 1.0)), False, self.left == 0, {}


def listened(env: gym.Env) -> Survey:
    session = SurveySession(lambda: adapt_environment(env), SurveyPlan(), lambda stage, steps: None)
    session.enter("wrappers", 1.0)
    part = examine_layers(session, adapt_environment(env))
    assert not session.faults
    return Survey(name="made", **part)


def pendulum() -> gym.Env:
    return gym.make("Pendulum-v1", max_episode_steps=60)


@pytest.mark.parametrize(
    ("env", "kind"),
    [
        (lambda: Reversed(pendulum()), "reversed"),
        (lambda: Unsigned(Mixed()), "unsigned"),
        (lambda: Late(pendulum()), "late"),
        (lambda: RunningSum(pendulum()), "repeated"),
        (lambda: EveryFourth(pendulum()), "dropped"),
        (lambda: Repeat(pendulum()), "last only"),
    ],
)
def test_a_wrapper_that_changes_rewards_is_named(env, kind):
    changes = list(find_reward_changes(listened(env())))
    assert [change.kind for change in changes] == [kind]
    assert changes[0].steps >= 20


@pytest.mark.parametrize(
    "env",
    [
        lambda: gym.wrappers.TransformReward(pendulum(), lambda reward: 0.1 * reward + 8.0),
        lambda: gym.wrappers.NormalizeReward(pendulum()),
        lambda: gym.wrappers.FrameStackObservation(pendulum(), 3),
        lambda: gym.wrappers.RescaleAction(pendulum(), -1.0, 1.0),
        lambda: Repeat(pendulum(), all_paid=True),
        lambda: gym.wrappers.ClipAction(pendulum()),
        lambda: gym.wrappers.StickyAction(gym.make("CartPole-v1"), 0.25),
    ],
)
def test_wrappers_of_every_day_change_nothing_that_counts(env):
    survey = listened(env())
    assert survey.layers
    assert list(find_reward_changes(survey)) == []
    assert list(find_end_changes(survey)) == []
    assert all(change.share < 0.5 for change in find_replaced_actions(survey))
    assert list_stale_layers(survey) == []


@pytest.mark.parametrize(
    ("base", "change", "words"),
    [
        ("CartPole-v1", lambda terminated, truncated: (False, truncated), "keeps `terminated` to itself"),
        ("Pendulum-v1", lambda terminated, truncated: (terminated, False), "keeps `truncated` to itself"),
        ("Pendulum-v1", lambda terminated, truncated: (terminated or truncated, False), "returns `terminated`"),
        ("CartPole-v1", lambda terminated, truncated: (False, terminated or truncated), "returns `truncated`"),
    ],
)
def test_a_wrapper_that_changes_ends_is_named(base, change, words):
    survey = listened(Flags(gym.make(base), change))
    assert [words in found.words for found in find_end_changes(survey)] == [True]
    assert list(find_end_changes(listened(Flags(gym.make(base), lambda *flags: flags)))) == []


def test_the_rule_on_ends_names_the_wrapper():
    layers = listened(Flags(gym.make("CartPole-v1"), lambda terminated, truncated: (False, truncated))).layers
    answer = terminal_mishandled.rule.ask(changed(world(), layers=layers))
    assert answer.severity is Level.ERROR
    assert "The wrapper `Flags` keeps `terminated` to itself" in answer.message


def test_an_observation_of_the_step_before_and_actions_that_are_replaced():
    assert [layer.name for layer in list_stale_layers(listened(Stale(pendulum())))] == ["Stale"]
    assert next(iter(find_replaced_actions(listened(Other(gym.make("CartPole-v1"), 0.9))))).share > 0.7
    assert next(iter(find_replaced_actions(listened(Other(pendulum(), 0.9))))).share > 0.7


class Half(gym.ObservationWrapper):
    def observation(self, observation):
        return np.concatenate([observation[:2], np.zeros_like(observation[2:])])


def test_columns_that_a_wrapper_holds_still():
    (layer,) = listened(Half(gym.make("CartPole-v1"))).layers
    assert layer.silenced == (2, 3)
    (layer,) = listened(gym.wrappers.TransformReward(gym.make("CartPole-v1"), lambda reward: reward)).layers
    assert layer.silenced == ()


def test_costs_of_ones_own_may_be_reversed_and_rewards_may_not():
    assert list(_find_reversing_wrappers(listened(Reversed(Mixed(least=0.0))))) == []
    (own,) = _find_reversing_wrappers(listened(Reversed(Mixed())))
    (known,) = _find_reversing_wrappers(listened(Reversed(gym.make("CartPole-v1"))))
    assert (own.level, known.level) == (Level.WARN, Level.ERROR)


def test_nothing_stays_on_the_environment():
    env = Late(pendulum())
    before = {id(layer): dict(layer.__dict__) for layer in (env, env.env, env.unwrapped)}
    listened(env)
    for layer in (env, env.env, env.unwrapped):
        assert "step" not in layer.__dict__
        assert "reset" not in layer.__dict__
        assert set(before[id(layer)]) <= set(layer.__dict__)


class Raising(gym.Wrapper):
    def reset(self, **given):
        raise AttributeError("no such simulator")


def test_an_environment_that_raises_is_blamed_and_let_go():
    env = Raising(pendulum())
    session = SurveySession(lambda: adapt_environment(env), SurveyPlan(), lambda stage, steps: None)
    session.enter("wrappers", 1.0)
    assert examine_layers(session, adapt_environment(env)) == {}
    assert "no such simulator" in session.faults[0].message
    assert "reset" not in env.__dict__
