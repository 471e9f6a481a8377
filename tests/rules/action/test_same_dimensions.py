from __future__ import annotations

import numpy as np

from tests.trials import trials
from tests.worlds import box, changed, held, world
from weaklink.base.finding import CannotTell
from weaklink.judge.rules.action.same_dimensions import same_dimensions


def shop(into, states=20, products=3):
    """Orders of three products, each of which is put into the stock of one; as many are held as there are."""

    def deliver(stock, orders):
        for place, number in enumerate(orders):
            stock[into[place]] += number
        return stock, -float(orders[0] + sum(orders))

    tried = trials(deliver, lambda rng: rng.integers(0, 20, 3), dimensions=3, low=0.0, states=states)
    stock = held({"stock": lambda rng, step, before: rng.integers(0, 20, products)}, lambda now, *_: now["stock"][:2])
    return changed(world(), action=box(3, 0.0, 1.0), observation=box(3), trials=tried, held=stock)


def sick():
    return [shop((0, 1, 1)), shop((0, 2, 2))]


def healthy():
    # each has its own; two that do nothing; and three pumps of one tank
    return [world(), shop((0, 1, 2)), shop((2, 1, 0)), shop((0, 0, 0), products=1)]


def test_the_two_are_named():
    assert "action[1] and action[2] are one and the same" in same_dimensions.rule.ask(shop((0, 1, 1))).message
    assert isinstance(same_dimensions.rule.ask(shop((0, 1, 1), states=4)), CannotTell)


def test_dimensions_without_effect_are_left_to_another_rule():
    still = trials(lambda state, action: (state, 0.0), lambda rng: rng.normal(0, 1, 3), dimensions=3)
    assert same_dimensions.rule.ask(changed(shop((0, 1, 1)), trials=still)) is None
    assert np.array_equal(still.rows[:, 0], still.seen)
