from __future__ import annotations

import numpy as np

from tests.trials import trials
from tests.worlds import box, changed, world
from weaklink.base.finding import CannotTell
from weaklink.judge.rules.reward.paid_without_effect import paid_without_effect


def battery(pay, states=20, capacity=1.0):
    """A battery that is empty or full in some states; the action charges it, and price is seen."""

    def flow(state, action):
        charge, price = state
        after = float(np.clip(charge + 0.2 * action[0], 0.0, capacity))
        return np.array([after, price]), pay(price, action[0], after - charge)

    def draw(rng):
        return np.array([rng.choice([0.0, capacity, *np.linspace(0.2, 0.8, 4) * capacity]), rng.uniform(0.2, 1.0)])

    tried = trials(flow, draw, states=states)
    return changed(world(), observation=box(2), action=box(1, -1.0, 1.0), trials=tried)


def sick():
    return [
        battery(lambda price, wanted, moved: -price * wanted),
        battery(lambda price, wanted, moved: 5 * max(-wanted, 0)),
    ]


def healthy():
    return [
        world(),
        battery(lambda price, wanted, moved: -price * moved),
        # what is asked for costs, whatever comes of it
        battery(lambda price, wanted, moved: -abs(wanted)),
        battery(lambda price, wanted, moved: -price * moved - 0.1 * wanted**2),
        # less cost is no income
        battery(lambda price, wanted, moved: -2.0 - wanted),
        # nothing is moved anywhere: a bandit
        battery(lambda price, wanted, moved: wanted, capacity=0.0),
    ]


def test_the_end_of_the_range_is_named():
    answer = paid_without_effect.rule.ask(sick()[0])
    assert "action[0] at its lowest earns" in answer.message
    few = battery(lambda price, wanted, moved: -price * wanted, states=5)
    assert isinstance(paid_without_effect.rule.ask(few), CannotTell)
