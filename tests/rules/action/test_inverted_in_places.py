from __future__ import annotations

import numpy as np

from tests.trials import trials
from tests.worlds import box, changed, play, world
from weaklink.base.finding import CannotTell
from weaklink.judge.rules.action.inverted_in_places import inverted_in_places


def road(steer, shown=lambda state: state, states=20):
    """Steering that changes the angle in the lane, on a road that bends; both are seen."""

    def drive(state, action):
        angle, bend = state
        return shown(np.array([angle + 0.1 * steer(action[0], state) - 0.3 * bend, bend])), 1.0

    tried = trials(drive, lambda rng: rng.uniform(-1, 1, 2), states=states)
    rows = np.random.default_rng(1).uniform(-1, 1, (5001, 2))
    seen = np.array([shown(row) for row in rows])
    driven = play("random", columns=2, observations=seen[:-1], successors=seen[1:], length=50)
    return changed(world(), observation=box(2), action=box(1, -1.0, 1.0), trials=tried, plays={"random": driven})


def sick():
    return [
        road(lambda wheel, state: wheel if state[1] >= 0 else -wheel),
        road(lambda wheel, state: -wheel if state[1] >= 0 else wheel),
    ]


def healthy():
    return [
        world(),
        road(lambda wheel, state: wheel),
        road(lambda wheel, state: -wheel),
        # a heading by its sine: what turns it moves it both ways, but not by the same amount
        road(lambda wheel, state: wheel * np.cos(4 * state[1])),
        # a distance, which falls on one side and rises on the other
        road(lambda wheel, state: wheel, shown=lambda state: np.array([abs(state[0]), state[1]])),
    ]


def test_the_number_that_decides_is_named():
    assert "wherever observation[1] is negative" in inverted_in_places.rule.ask(sick()[0]).message
    assert isinstance(inverted_in_places.rule.ask(road(lambda wheel, state: wheel, states=5)), CannotTell)
