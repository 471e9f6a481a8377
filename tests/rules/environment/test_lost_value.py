# ruff: noqa: F841
from __future__ import annotations

from types import SimpleNamespace

import gymnasium as gym
import numpy as np

from tests.worlds import changed, world
from weaklink.base.finding import CannotTell, Level
from weaklink.base.loop import Link
from weaklink.collect.survey.reading import read_code
from weaklink.judge.rules.environment.lost_value import lost_value


class Shop(gym.Env):
    """Honest code with all that looks like a lost value and is none."""

    price, storage_cost, max_stock = 3.0, 0.1, 20
    spare_cost = 0.5

    def __init__(self, *args):
        kept = len(args)  # of no step

    def see(self):
        row = np.zeros(3)
        row[0] = 0.0
        row[0] = self.stock
        row[1] = row[0] + 1
        row[1] = row[1] / 2
        for place in range(3):
            row[place] = self.stock + place
        return row

    def worth(self, sold, storage_cost):
        return self.price * sold - storage_cost

    def step(self, action):
        reward = 0.0
        done = False
        wanted, unused = self.draw(), 0
        _ignored = action > 3
        if wanted > self.stock:
            wanted = self.stock
        elif action == 2:
            done = True
            return self.see(), -1.0, done, False, {}
        reward = self.worth(wanted, self.storage_cost * self.stock)
        previous = self.stock
        for _ in range(3):
            change = self.stock - previous
            previous = self.stock
            if change > 1:
                break
            self.stock = min(self.max_stock, self.stock + 1)
        try:
            bonus = self.draw()
            reward += bonus
        except ValueError:
            bonus = 0.0
        return self.see(), reward, self.stock > 9, False, {"change": change}

    def draw(self):
        fee = 1.0
        return sum(fee for _ in range(2)) + Reader.spare_cost


class Reader:
    spare_cost = Shop.spare_cost


class Overwritten(Shop):
    def step(self, action):
        done = False
        if self.stock == 0:
            reward = 1.0
            done = True
        reward = -0.01
        return self.see(), reward, done, False, {}


class Unused(Shop):
    def step(self, action):
        storage_cost = 0.1 * self.stock
        return self.see(), 3.0 * self.draw(), False, False, {}


class Ignored(Shop):
    def step(self, action):
        force = np.clip(action, -1, 1)
        self.stock += action
        return self.see(), 0.0, False, False, {}


class Endless(Shop):
    def step(self, action):
        empty = self.stock == 0
        return self.see(), 1.0, False, False, {}


class Shown(Shop):
    def see(self):
        row = np.zeros(3)
        row[0] = self.stock
        row[1] = self.price
        row[1] = self.max_stock
        return row


class Cleared(Shop):
    def see(self):
        row = np.zeros(3)
        row[0] = self.stock
        row[:] = 0
        row[1] = self.price
        return row


class Unpaid(Shop):
    late_fee = 2.0


class Drawn(Shop):
    max_width, label_cost = 400, 1.0

    def render(self):
        return np.zeros((4, self.max_width)) + self.label_cost


class Limited(Shop):
    max_rounds = 200  # for whoever makes it


class Negated(gym.RewardWrapper):
    def reward(self, reward):
        scaled_reward = reward / 10
        return reward


def survey(thing):
    return changed(world(), **read_code(SimpleNamespace(env=thing, inner=getattr(thing, "unwrapped", thing))))


def sick():
    return [survey(each()) for each in (Overwritten, Unused, Ignored, Endless, Shown, Cleared, Unpaid)] + [
        survey(Negated(Shop()))
    ]


def healthy():
    return [survey(Shop()), survey(Drawn())]


def test_the_link_is_that_of_what_is_lost():
    blamed = [lost_value.rule.ask(one).link for one in sick()]
    assert blamed == [
        Link.REWARD, Link.REWARD, Link.ACTION, Link.ENVIRONMENT, Link.OBSERVATION, Link.OBSERVATION, Link.REWARD,
        Link.REWARD,
    ]  # fmt: skip


def test_a_limit_may_be_read_by_whoever_makes_the_environment():
    assert lost_value.rule.ask(survey(Limited())).level is Level.INFO
    assert lost_value.rule.ask(survey(Unpaid())).level is Level.WARN


def test_it_says_where():
    message = lost_value(sick()[0]).message
    assert "`reward` gets a value in `step` (line " in message
    assert "test_lost_value.py" in message


def test_code_of_libraries_is_not_read():
    assert isinstance(lost_value.rule.ask(survey(gym.make("CartPole-v1"))), CannotTell)
