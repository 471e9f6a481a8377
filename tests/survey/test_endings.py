from __future__ import annotations

import gymnasium as gym
import numpy as np
import pytest

from tests.survey.small import Scripted, later, prepared
from weaklink.base.evidence.endings import EpisodeEnding
from weaklink.base.evidence.survey import BOTH, TERMINATED, TRUNCATED
from weaklink.collect.survey.endings import TOO_MANY, examine_endings
from weaklink.collect.survey.resets import examine_resets
from weaklink.collect.survey.sampler import make_random_policy, play


def ended(make, steps=800, episodes=30) -> tuple[EpisodeEnding, ...]:
    session, environment = prepared(make)
    examine_resets(session, environment)
    act = make_random_policy(environment.action, np.random.default_rng(0))
    random = play(session, environment, act, policy="random", steps=steps, episodes=episodes, until=later(), keep=2000)
    found = examine_endings(session, environment, random).get("endings", ())
    assert session.faults == []
    return found


class Restarts(gym.Wrapper):
    """Begins the next episode by itself and hands out its first observation as the last of the one before."""

    def step(self, action):
        observation, reward, terminated, truncated, info = self.env.step(action)
        if terminated or truncated:
            observation, _ = self.env.reset()
        return observation, reward, terminated, truncated, info


@pytest.mark.parametrize(("name", "limit"), [("CartPole-v1", 500), ("Acrobot-v1", 40)])
def test_a_silent_restart_is_found(name, limit):
    (one,) = ended(lambda: Restarts(gym.make(name, max_episode_steps=limit)))
    assert one.restarted
    assert one.continued == TOO_MANY
    assert not one.raised


@pytest.mark.parametrize(
    "name",
    [
        "CartPole-v1",
        "Pendulum-v1",
        "Acrobot-v1",
        "MountainCar-v0",
        "FrozenLake-v1",
        "CliffWalking-v1",
        "Taxi-v4",
        "Blackjack-v1",
    ],
)
def test_ordinary_environments_do_not_restart(name):
    found = ended(lambda: gym.make(name, max_episode_steps=40))
    assert found
    assert not any(one.restarted for one in found)


class Hours(gym.Env):
    """Waiting people, few as at first whenever all are fetched, after so many hours; an episode ends at such."""

    observation_space = gym.spaces.Box(0.0, 600.0, (2,), np.float32)
    action_space = gym.spaces.Discrete(2)

    def __init__(self, hours: int = 4, limit: int = 40) -> None:
        self.hours, self.limit = hours, limit

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.people, self.time = float(self.np_random.integers(3)), 0
        return np.array([self.people, 0.0], np.float32), {}

    def step(self, action):
        self.time += 1
        turn = self.time % self.hours
        self.people = float(self.np_random.integers(3)) if turn == 0 else self.people + 20.0
        return np.array([self.people, turn], np.float32), 0.0, False, self.time == self.limit, {}


def test_what_comes_back_every_few_steps_is_no_restart():
    assert not ended(Hours)[0].restarted
    assert not ended(lambda: Hours(24, 48))[0].restarted  # a day


class Ferry(gym.Env):
    """A bank with few people at first and at the end, and in a share of all minutes between."""

    observation_space = gym.spaces.Box(0.0, 60.0, (1,), np.float32)
    action_space = gym.spaces.Discrete(2)

    def __init__(self, quiet: float) -> None:
        self.quiet = quiet

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.time = 0
        return self.look(few=True), {}

    def look(self, *, few):
        return np.array([self.np_random.uniform(0.0, 8.0) + (0.0 if few else 40.0)], np.float32)

    def step(self, action):
        self.time += 1
        few = self.time == 30 or self.np_random.random() < self.quiet
        return self.look(few=few), 0.0, False, self.time == 30, {}


def test_a_handful_of_ends_that_look_like_a_beginning_is_chance_unless_nothing_else_does():
    assert ended(lambda: Ferry(0.0), steps=150, episodes=5)[0].restarted
    assert not ended(lambda: Ferry(0.15), steps=150, episodes=5)[0].restarted


class Strict(Scripted):
    """Refuses to go on after the end."""

    def step(self, action):
        if self.clock >= self.lengths[0]:
            raise RuntimeError("the episode is over")
        return super().step(action)


class Lax(Scripted):
    """Goes on as if nothing had ended."""

    def step(self, action):
        *rest, terminated, truncated, info = super().step(action)
        return *rest, terminated and self.clock == self.lengths[0], truncated and self.clock == self.lengths[0], info


@pytest.mark.parametrize(
    ("end", "flag"), [("terminated", TERMINATED), ("truncated", TRUNCATED), ("both", BOTH)], ids=lambda one: str(one)
)
def test_stepping_on_is_told_by_how_the_episode_ended(end, flag):
    (strict,) = ended(lambda: Strict((5,), (end,)))
    assert (strict.end, strict.raised, strict.continued) == (flag, True, 0)
    (lax,) = ended(lambda: Lax((5,), (end,)))
    assert (lax.end, lax.raised, lax.warned, lax.continued) == (flag, False, False, TOO_MANY)
    (stays,) = ended(lambda: Scripted((5,), (end,)))
    assert (stays.end, stays.raised, stays.continued) == (flag, False, 0)


def test_a_warning_is_told():
    (one,) = ended(lambda: gym.make("CartPole-v1"))
    assert one.warned
    assert (one.end, one.raised, one.continued) == (TERMINATED, False, 0)


def test_an_episode_that_does_not_end_has_no_ending():
    session, environment = prepared(lambda: Scripted((10**9,)))
    act = make_random_policy(environment.action, np.random.default_rng(0))
    random = play(session, environment, act, policy="random", steps=50, episodes=0, until=later(), keep=50)
    assert examine_endings(session, environment, random) == {}
