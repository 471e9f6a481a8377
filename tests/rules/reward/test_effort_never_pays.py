from __future__ import annotations

import numpy as np

from tests.worlds import box, changed, play, world
from weaklink.base.finding import CannotTell
from weaklink.judge.rules.reward.effort_never_pays import effort_never_pays


def runner(weight=50.0, goal=0.0, speed=0.3, policies=("random", "zero", "search")):
    """Four joints whose speed is paid and whose effort costs; or a goal that pays now and then."""
    rng = np.random.default_rng(0)
    plays = {}
    for name in policies:
        made = play(name, actions=4)
        actions = made.actions * {"random": 1.0, "zero": 0.0, "search": 0.05}[name]
        earned = speed * np.tanh(rng.normal(size=len(actions))) + goal * (rng.random(len(actions)) < 0.01)
        plays[name] = changed(made, actions=actions, rewards=earned - weight * np.square(actions).sum(axis=1))
    return changed(world(), plays=plays, action=box(4, -1.0, 1.0))


def sick():
    return [runner(), runner(weight=20.0)]


def healthy():
    return [
        world(),
        # a small cost, one of the size of what is earned, and several times that, as Reacher has it
        runner(weight=0.01),
        runner(weight=0.3),
        runner(weight=1.0),
        # a goal that no policy has found, and one that was: there is more to earn than was seen
        runner(speed=0.0),
        runner(goal=1000.0),
        runner(goal=1.0, speed=0.0),
    ]


def test_what_acting_costs_is_told():
    assert "standing still is best" in effort_never_pays.rule.ask(runner()).message


def test_nothing_is_said_without_a_search():
    assert isinstance(effort_never_pays.rule.ask(runner(policies=("random", "zero"))), CannotTell)
