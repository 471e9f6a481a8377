from __future__ import annotations

import numpy as np

from tests.worlds import changed, play, with_play, world
from weaklink.base.evidence.survey import TERMINATED, TRUNCATED
from weaklink.base.finding import CannotTell
from weaklink.judge.rules.environment.swing_grows import swing_grows

EPISODES, LENGTH = 10, 200


def swinging(growth=0.02, noise=0.0, turns=0.15, ends=TRUNCATED, falls=False, about=0.0, unit=1.0):
    """Episodes of the zero action in which a number swings, or falls to one side."""
    rng, time = np.random.default_rng(0), np.arange(LENGTH + 1)
    rows = []
    for _ in range(EPISODES):
        size = 0.1 * np.exp(growth * time)
        course = size if falls else size * np.sin(turns * time + rng.uniform(0, 6))
        rows.append(about + unit * (course + np.cumsum(rng.normal(0, noise, len(time)))))
    seen = np.array(rows)
    columns = [np.column_stack([part.ravel(), np.zeros((part.size, 2))]) for part in (seen[:, :-1], seen[:, 1:])]
    made = play("zero", episodes=EPISODES, length=LENGTH, ends=ends, observations=columns[0], successors=columns[1])
    return with_play(world(), zero=made)


def sick():
    return [swinging(), swinging(growth=0.01), swinging(about=5.0), swinging(about=-80.0, unit=30.0)]


def healthy():
    return [
        world(),
        # a swing that dies down, one that stays, noise alone, and noise that drives a swing
        swinging(growth=-0.02),
        swinging(growth=0.0),
        swinging(growth=0.0, noise=0.05),
        # the same where they go about something else than zero
        swinging(growth=-0.02, about=5.0),
        swinging(growth=0.0, about=5.0),
        swinging(growth=0.0, noise=0.05, about=5.0),
        swinging(falls=True, about=5.0),
        # what falls does not swing, and what ends there is a task of balance
        swinging(falls=True),
        swinging(ends=TERMINATED),
    ]


def test_few_episodes_do_not_tell():
    short = changed(world(), plays=world().plays | {"zero": play("zero", episodes=3, ends=TRUNCATED)})
    assert isinstance(swing_grows.rule.ask(short), CannotTell)
