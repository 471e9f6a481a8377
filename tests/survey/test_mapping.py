"""Small worlds are mapped: what any course of actions reaches, and what of it pays."""

from __future__ import annotations

import gymnasium as gym
import numpy as np
import pytest

from tests.surveying import survey_before
from weaklink.adapters.environments import adapt_environment
from weaklink.base.evidence.survey import Survey
from weaklink.base.finding import Finding
from weaklink.collect.survey import SurveyPlan
from weaklink.collect.survey.mapping import map_small_world
from weaklink.collect.survey.session import SurveySession
from weaklink.judge.rules.observation.hidden_goal import hidden_goal
from weaklink.judge.rules.reward.paying_loop import paying_loop
from weaklink.judge.rules.task.goal_out_of_reach import goal_out_of_reach


class Corridor(gym.Env):
    """Nine cells, a lamp in the first, an exit or a wall in the last; the actions are left, right and switch."""

    observation_space = gym.spaces.MultiDiscrete([9, 2, 2])
    action_space = gym.spaces.Discrete(3)

    def __init__(self, walled=0.0, once=True):
        self.walled, self.once = walled, once

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.place, self.lamp, self.paid = int(self.np_random.integers(1, 7)), 0, False
        self.wall = bool(self.np_random.random() < self.walled)
        return self.look(), {}

    def look(self):
        return np.array([self.place, self.lamp, self.wall])

    def step(self, action):
        reward = 0.0
        if action == 2:
            reward = self.switch() if self.place == 0 else 0.0
        else:
            self.place = min(max(self.place + (1 if action else -1), 0), 7 if self.wall else 8)
        out = self.place == 8
        return self.look(), float(out) or reward, out, False, {"is_success": out}

    def switch(self):
        self.lamp = 1 - self.lamp
        fresh = self.lamp == 1 and not (self.once and self.paid)
        self.paid |= fresh
        return 0.1 if fresh else 0.0


class Fork(gym.Env):
    """Five steps to a fork, one side of which pays and the other costs; the actions are forward, left and right."""

    observation_space = gym.spaces.MultiDiscrete([6, 3])
    action_space = gym.spaces.Discrete(3)

    def __init__(self, sign):
        self.sign = sign

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.place, self.side = 0, int(self.np_random.integers(2))
        return self.look(), {}

    def look(self):
        return np.array([self.place, self.side if self.sign and self.place == 0 else 2])

    def step(self, action):
        if self.place < 5 or action == 0:
            self.place = min(self.place + (action == 0), 5)
            return self.look(), -0.01, False, False, {}
        return self.look(), 1.0 if action - 1 == self.side else -1.0, True, False, {}


class Noise(gym.Wrapper):
    """Ends that pay by chance, one action more than the other."""

    def step(self, action):
        seen, reward, over, cut, info = self.env.step(action)
        return seen, self.unwrapped.np_random.random() * action if over else reward, over, cut, info


def survey(make) -> Survey:
    limited = lambda: gym.wrappers.TimeLimit(make(), 100)  # noqa: E731
    return survey_before("masks", limited, steps=400, episodes=20)


def test_all_states_and_the_shortest_way():
    found = survey(lambda: Corridor(once=False)).reached
    assert len(found) >= 8
    assert all(one.whole and one.nearest is not None and one.prize == 1.0 for one in found)
    assert {one.nearest for one in found} <= set(range(2, 8))
    assert len({one.states for one in found}) == 1


def test_starts_without_a_way_out():
    found = goal_out_of_reach.rule.ask(survey(lambda: Corridor(walled=0.5, once=False)))
    assert isinstance(found, Finding)
    assert "no course of actions reaches the goal" in found.message
    assert not isinstance(goal_out_of_reach.rule.ask(survey(Corridor)), Finding)


@pytest.mark.parametrize("once", [True, False])
def test_a_lamp_that_pays_each_time_it_is_switched_on(once):
    """Where it pays once alone, the map cannot know, but the circle that it shows is played."""
    assert isinstance(paying_loop.rule.ask(survey(lambda: Corridor(once=once))), Finding) is not once


class Closed(Corridor):
    """Its own clock ends it after sixty steps."""

    def reset(self, **given):
        self.time = 0
        return super().reset(**given)

    def step(self, action):
        observation, reward, terminated, _, info = super().step(action)
        self.time += 1
        return observation, reward, terminated, self.time >= 60, info


@pytest.mark.parametrize("once", [True, False])
def test_circles_pay_until_the_environment_ends_them_by_its_own_clock(once):
    assert isinstance(paying_loop.rule.ask(survey(lambda: Closed(once=once))), Finding) is not once


@pytest.mark.parametrize(
    ("make", "hidden"),
    [(lambda: Fork(sign=False), True), (lambda: Fork(sign=True), False), (lambda: Noise(Fork(sign=False)), False)],
    ids=["no sign", "a sign", "chance"],
)
def test_ends_that_nothing_seen_decides(make, hidden):
    assert isinstance(hidden_goal.rule.ask(survey(make)), Finding) is hidden


class Cards(gym.Env):
    """Another card or none: whether 20 or 21 can be reached is a matter of the deck, which is shuffled beforehand."""

    observation_space = gym.spaces.Discrete(40)
    action_space = gym.spaces.Discrete(2)

    def __init__(self, shuffled):
        self.shuffled = shuffled

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.deck = self.np_random.integers(2, 11, 20).tolist() if self.shuffled else []
        self.sum = int(self.np_random.integers(4, 12))
        return self.sum, {}

    def step(self, action):
        card = self.deck.pop() if self.shuffled else int(self.np_random.integers(2, 11))
        self.sum += card if action else 0
        over = self.sum >= 21 or not action
        won = self.sum in (20, 21)
        return self.sum, float(won) if over else 0.0, over, False, {"is_success": over and won}


@pytest.mark.parametrize("shuffled", [True, False])
def test_of_a_game_of_chance_nothing_is_said_but_what_was_reached(shuffled):
    found = survey(lambda: Cards(shuffled))
    assert not any(one.whole for one in found.reached)
    assert not isinstance(goal_out_of_reach.rule.ask(found), Finding)


def test_a_world_without_end_is_not_mapped():
    assert survey(lambda: gym.make("CartPole-v1")).reached == ()


def test_of_a_slippery_world_nothing_is_said_but_what_was_reached():
    found = survey(lambda: gym.make("FrozenLake-v1")).reached
    assert not any(one.whole for one in found)
    assert all(one.loop == 0.0 for one in found)


def test_nothing_is_mapped_where_the_time_is_up_before_the_first_step():
    environment = adapt_environment(Corridor())
    session = SurveySession(lambda: environment, SurveyPlan(steps=0), lambda stage, steps: None)
    session.deterministic = True
    assert map_small_world(session, environment) == {}
    assert session.faults == []
