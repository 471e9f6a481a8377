from __future__ import annotations

import gymnasium as gym
import numpy as np

from tests.surveying import survey_before
from tests.worlds import changed, discrete, play, sweep, world
from weaklink.base.finding import CannotTell, Finding
from weaklink.judge.rules.action.same_choices import same_choices


def chosen(alike, *, count=5, effects=None, **given):
    """A choice of several, of which some are followed by the same."""
    size = np.tile(np.array(effects or [0.0, *[0.5] * (count - 1)]), (6, 1))
    parts = dict.fromkeys(("near", "far", "near_reward", "far_reward"), size)
    numbers = np.arange(count, dtype=float)
    fields = parts | {"values": numbers, "positions": numbers, "still": np.zeros((6, count), dtype=bool)} | given
    return changed(world(), sweeps=(changed(sweep(), alike=alike, **fields),), action=discrete(count))


def sick():
    return [
        # left and right are one way
        chosen(((3, 4),)),
        # a table of numbers that were cut to integers
        chosen(((1, 2, 3, 4, 5),), count=7),
        # two of four ways go down, the first among them
        chosen(((0, 1),), count=4, own=(1.0,)),
        # an order is divided by ten and rounded
        chosen((tuple(range(10)),), count=11),
    ]


def healthy():
    return [
        world(),
        chosen(()),
        # keys that the game does not know
        chosen(((3, 4),), still=np.tile(np.array([False, False, False, True, True]), (6, 1))),
        # nothing to be picked up or put down
        chosen(((0, 4),)),
        # to wait and to brake at a halt: what happens meanwhile happens whatever is done; one of two levers is loose
        chosen(((0, 4),), own=(0.3,)),
        chosen(((0, 1),), count=3, own=(1.0,)),
        # a store that is full takes no more
        chosen(((3, 4),), effects=[0.0, 0.1, 0.2, 0.3, 0.3]),
        # actions do nothing at all: that is ACT101's
        chosen((tuple(range(5)),)),
    ]


class Notches(gym.ActionWrapper):
    """A handle with seven notches in place of a torque."""

    def __init__(self, whole):
        super().__init__(gym.make("Pendulum-v1"))
        table = np.linspace(-2.0, 2.0, 7)
        self.table = table.astype(int) if whole else table
        self.action_space = gym.spaces.Discrete(7)

    def action(self, action):
        return np.array([self.table[action]], dtype=np.float32)


def ask(make):
    return same_choices(survey_before("one changed action", make, steps=400, episodes=2))


def test_a_table_of_integers_and_its_healthy_twin():
    found = ask(lambda: Notches(whole=True))
    assert isinstance(found, Finding)
    assert "2, 3 and 4" in found.message
    assert ask(lambda: Notches(whole=False)) is None


def test_too_few_states():
    few = np.zeros((2, 5))
    parts = dict.fromkeys(("near", "far", "near_reward", "far_reward"), few)
    answer = same_choices(chosen(((3, 4),), **parts))
    assert isinstance(answer, CannotTell)


class Crawler(gym.Env):
    """A snake that cannot turn back: the way it goes and the opposite one are one and the same to it."""

    observation_space = gym.spaces.Box(-99.0, 99.0, (2,), np.float64)
    action_space = gym.spaces.Discrete(4)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.place, self.heading, self.left = self.np_random.integers(-5, 5, 2).astype(float), 1, 8
        return self.place.copy(), {}

    def step(self, action):
        self.heading = self.heading if (action + 2) % 4 == self.heading else int(action)
        self.place += ((-1, 0), (0, 1), (1, 0), (0, -1))[self.heading]
        self.left -= 1
        return self.place.copy(), 0.0, False, self.left == 0, {}


def test_a_way_back_that_is_not_allowed_is_no_loss():
    assert not isinstance(ask(Crawler), Finding)


def shelf(paid, shown=50):
    """A bandit whose last choice does what the first one does; `paid` is what the first one pays."""
    rng = np.random.default_rng(0)
    taken = rng.integers(0, 5, (5000, 1)).astype(float)
    rewards = np.where(taken[:, 0] == 0, paid(rng.random(5000)), 1.0)
    made = changed(play("random"), actions=taken, rewards=rewards)
    return changed(chosen(((0, 4),)), shown_whatever_done=shown, plays={"random": made})


def test_the_first_choice_of_a_bandit_is_one_like_the_others():
    assert "0 and 4" in same_choices(shelf(lambda draw: (draw < 0.4).astype(float))).message
    # to recommend nothing pays nothing, and in a world that is moved the first choice may be to stay
    assert same_choices(shelf(lambda draw: 0.0 * draw)) is None
    assert same_choices(shelf(lambda draw: (draw < 0.4).astype(float), shown=0)) is None


class Field(gym.Env):
    """A walk in four ways, of which two may be the same, or in three beside waiting and a key that is not known."""

    observation_space = gym.spaces.Box(0, 8, (2,), np.int64)

    def __init__(self, ways):
        self.ways = ways
        self.action_space = gym.spaces.Discrete(len(ways))

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.place, self.time = self.np_random.integers(0, 9, 2), 0
        return self.place.copy(), {}

    def step(self, action):
        self.place = np.clip(self.place + self.ways[action], 0, 8)
        self.time += 1
        return self.place.copy(), float(self.place.sum() == 0), False, self.time == 50, {}


def test_the_first_of_two_equal_ways_is_no_waiting():
    found = ask(lambda: Field([(1, 0), (1, 0), (0, -1), (0, 1)]))
    assert isinstance(found, Finding)
    assert "0 and 1" in found.message
    assert ask(lambda: Field([(-1, 0), (1, 0), (0, -1), (0, 1)])) is None
    assert ask(lambda: Field([(0, 0), (0, 0), (1, 0), (0, -1), (0, 1)])) is None
