from __future__ import annotations

import gymnasium as gym
import numpy as np

from tests.surveying import survey_before
from tests.worlds import box, changed, held, world
from weaklink.base.finding import Finding
from weaklink.judge.rules.environment.overdrawn import overdrawn


def hall(show, *, least=-np.inf, begin=20, pays=True):
    """Seats that are sold, one or two at a time, out of twenty; `least` is what may be left of them."""

    def sell(rng, step, before):
        return float(begin) if before is None else max(float(before[0]) - int(rng.integers(0, 3)), least)

    def pay(before, after):
        return float(before["seats"][0] - after["seats"][0]) if pays else 0.0

    kept = held({"seats": sell, "day": lambda rng, step, before: step}, show, pay=pay, episodes=20, length=40)
    return changed(world(), observation=box(kept.observations.shape[1]), held=kept)


def see(now, before, ended):
    return [max(float(now["seats"][0]), 0.0), float(now["day"][0])]


def see_all(now, before, ended):
    return [float(now["seats"][0]), float(now["day"][0])]


def see_debts(now, before, ended):
    return [max(float(now["seats"][0]), 0.0), max(-float(now["seats"][0]), 0.0)]


def sick():
    return [hall(see)]


def healthy():
    return [
        world(),
        # sold as long as there are any, and one too many at the end
        hall(see, least=0.0),
        hall(see, least=-1.0),
        # what is owed is shown
        hall(see_all),
        hall(see_debts),
        # nothing is paid for it, and what begins with a debt is an account
        hall(see, pays=False),
        hall(see, begin=-5),
    ]


class Flight(gym.Env):
    """Fifteen seats, sold at a low price or a high one within twelve days."""

    observation_space = gym.spaces.Box(0.0, 20.0, (2,), np.float64)
    action_space = gym.spaces.Discrete(2)

    def __init__(self, limited):
        self.limited = limited

    def tell(self):
        return np.array([max(self.seats, 0), self.days], dtype=float)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.seats, self.days = 15, 12
        return self.tell(), {}

    def step(self, action):
        wish = int(self.np_random.poisson((4.0, 2.0)[action]))
        sold = min(wish, self.seats) if self.limited else wish
        self.seats -= sold
        self.days -= 1
        return self.tell(), float(sold * (1, 2)[action]), self.days == 0, False, {}


def test_seats_that_no_plane_has():
    answers = {
        limited: overdrawn.rule.ask(
            survey_before("exchanged attributes", lambda limited=limited: Flight(limited), steps=500, episodes=20)
        )
        for limited in (True, False)
    }
    assert answers[True] is None
    assert isinstance(answers[False], Finding)
    assert "`seats` falls below 0" in answers[False].message
