from __future__ import annotations

import numpy as np

from tests.rules.task.tasks import survey_of
from tests.worlds import box, play, world
from weaklink.base.finding import CannotTell, Level
from weaklink.base.loop import Link
from weaklink.judge.rules._registry import find_rule

RULE = find_rule("TSK118")
PUSHES = {"random": lambda rng: rng.uniform(-1, 1), "zero": lambda rng: 0.0, "search": lambda rng: 1.0}


def carts(length=5, speed=0.05, driven=True, anew=False, episodes=20):
    """A cart that starts anywhere on a track of four metres and is pushed by so much a step, by policy."""
    plays = []
    for name, push in PUSHES.items():
        rng = np.random.default_rng([7, *name.encode()])
        rows = np.zeros((episodes, length + 1, 2))
        rows[:, 0] = rng.uniform(-2, 2, (episodes, 2))  # the place, and that of the goal
        for step in range(length):
            for cart in range(episodes):
                moved = speed * (push(rng) if driven else rng.normal())
                rows[cart, step + 1] = rows[cart, step] + np.array([moved, 0.0])
        if anew:
            rows = rng.uniform(-2, 2, rows.shape)
        seen, after = rows[:, :-1].reshape(-1, 2), rows[:, 1:].reshape(-1, 2)
        paid = -np.abs(after[:, 0] - after[:, 1])
        plays.append(play(name, episodes=episodes, length=length, observations=seen, successors=after, rewards=paid))
    return survey_of(*plays, observation=box(2))


def sick():
    return [carts(), carts(length=20, speed=0.02), carts(length=8)]


def healthy():
    return [
        carts(length=25, speed=0.2),
        carts(length=60, speed=0.01),  # slow, but nobody is short of steps there
        carts(driven=False),  # prices, weather: what nobody drives need not go anywhere
        carts(anew=True),  # a context for each step
        carts(length=1),
        world(),
    ]


def test_says_how_far_anything_gets():
    found = RULE.ask(carts())
    assert "All 60 episodes end after 5 steps" in found.message
    assert "observation[0]" in found.message
    assert (found.level, found.link) == (Level.WARN, Link.TASK)
    assert RULE.ask(carts(length=25, speed=0.2)) is None


def test_a_few_episodes_tell_nothing():
    assert isinstance(RULE.ask(carts(episodes=4)), CannotTell)
