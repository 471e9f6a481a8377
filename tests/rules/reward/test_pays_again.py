from __future__ import annotations

import numpy as np

from tests.rules.task.tasks import survey_of
from tests.worlds import box, changed, discrete, play, world
from weaklink.base.finding import CannotTell
from weaklink.judge.rules.reward.pays_again import pays_again

PLACES = 12


def deliveries(stays=True, at_place=False, arms=False, steps=4000, aboard=0.3):
    """A lift that goes up and down and opens its door, paid where a guest gets off, who may stay aboard."""
    rng = np.random.default_rng(0)
    seen, after, paid, taken = [], [], [], rng.integers(0, 3, (steps, 1))
    place, guests = 0, rng.random(PLACES) < aboard
    for action in taken[:, 0]:
        before = np.array([place, *guests], dtype=float)
        pay = 0.0
        if action < 2:
            place = int(np.clip(place + 2 * action - 1, 0, PLACES - 1)) if not arms else place
        if guests[place] and (action == 2 or at_place):
            pay = 1.0
            guests[place] = stays
        if not guests.any():
            guests = rng.random(PLACES) < aboard
        seen.append(before)
        after.append(np.array([place, *guests], dtype=float))
        paid.append(pay - 0.01)
        if rng.random() < 0.01:
            guests = rng.random(PLACES) < aboard
    made = play(
        "random",
        lengths=[100] * (steps // 100),
        rewards=np.array(paid),
        observations=np.array(seen),
        successors=np.array([*seen[1:], after[-1]]),
    )
    return survey_of(changed(made, actions=taken.astype(float)), observation=box(PLACES + 1), action=discrete(3))


def sick():
    return [deliveries(), deliveries(aboard=0.5)]


def healthy():
    # guests who get off, a place that pays whoever is there, and a bandit
    return [world(), deliveries(stays=False), deliveries(at_place=True), deliveries(arms=True)]


def test_few_steps_do_not_tell():
    assert isinstance(pays_again.rule.ask(deliveries(steps=500)), CannotTell)
