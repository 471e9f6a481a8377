from __future__ import annotations

import gymnasium as gym
import numpy as np

from tests.rules.environment.test_lost_value import survey
from weaklink.judge.rules.reward.named_otherwise import named_otherwise

STEP_COST = -0.1


class Lorry(gym.Env):
    """Honest formulas of all kinds."""

    fuel_cost, road_cost, crash_penalty, entry_fee = 0.2, 0.3, -5.0, 1.0
    queue = way = 3

    def see(self):
        return np.zeros(1)

    def total_cost(self, way):
        return self.fuel_cost * way + 0.5 * self.queue

    def worth(self, way, crashed):
        penalty = -0.3 * way
        saved_cost = 2.0 * way
        return 1.0 - self.total_cost(way) + penalty + saved_cost + self.entry_fee * 2 + self.crash_penalty * crashed

    def step(self, action):
        crashed = arrived = lost = self.way > 5
        waiting_cost = 0.1 * self.queue
        reward = self.worth(self.way, crashed) - waiting_cost + STEP_COST
        reward -= 0.5 * (self.road_cost * self.way)
        effort_cost = 0.1 * action if action else -1.0
        reward += effort_cost
        if crashed:
            reward = -10.0
        if arrived:
            reward += 5.0
        if lost:
            self.way = 1.0
        prize = 0.0 if arrived else -1.0
        return self.see(), float(reward + prize), crashed, False, {}


class Refunded(Lorry):
    """What is paid back at the end was charged before."""

    def step(self, action):
        delay_cost = 0.1 * self.queue
        reward = delay_cost if self.way > 5 else -delay_cost
        return self.see(), reward, False, False, {}


class Rival(Lorry):
    """What happens to somebody or something else is read in the other way, or in none."""

    def step(self, action):
        opponent_lost = brick_broken = limit_reached = opponent_won = self.way > 5
        reward = 0.0
        if opponent_lost:
            reward += 1.0
        if brick_broken:
            reward += 0.1
        if limit_reached:
            reward -= 1.0
        prize = -1.0 if opponent_won else 0.0
        return self.see(), reward + prize, False, False, {}


class Added(Lorry):
    def worth(self, way, crashed):
        return 1.0 + self.fuel_cost * way


class Local(Lorry):
    def step(self, action):
        waiting_cost = 0.1 * abs(self.queue)
        reward = 1.0 - (0.5 * self.way - waiting_cost)
        return self.see(), float(reward), False, False, {}


class Crashing(Lorry):
    def step(self, action):
        crashed = self.way > 5
        reward = -0.01
        if crashed:
            reward += 1.0
        return self.see(), reward, crashed, False, {}


class Losing(Lorry):
    def step(self, action):
        won = self.way > 5
        return self.see(), -1.0 if won else 0.0, won, False, {}


class Crashed(Lorry):
    def step(self, action):
        self.agent_crashed = self.way > 5
        reward = -0.01
        if self.agent_crashed:
            reward += 1.0
        return self.see(), reward, self.agent_crashed, False, {}


class Winning(Lorry):
    def step(self, action):
        won = self.way > 5
        reward = 0.0
        if won:
            reward = -1.0
        return self.see(), reward, won, False, {}


def sick():
    return [survey(each()) for each in (Added, Local, Crashing, Crashed, Losing, Winning)]


def healthy():
    return [survey(each()) for each in (Lorry, Refunded, Rival)]


def test_it_shows_the_term():
    assert "`fuel_cost` (`self.fuel_cost * way`)" in named_otherwise(sick()[0]).message
    assert "`crashed` (`reward += 1.0`)" in named_otherwise(sick()[2]).message
