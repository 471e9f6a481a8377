from __future__ import annotations

import numpy as np

from tests.trials import trials
from tests.worlds import changed, world
from weaklink.base.finding import CannotTell
from weaklink.judge.rules.action.heeded_now_and_then import heeded_now_and_then


def valves(times, length=80):
    heeded = np.isin(np.arange(length), times)
    tried = trials(lambda state, action: (state, 0.0), lambda rng: rng.normal(0, 1, 2), heeded=heeded)
    return changed(world(), trials=tried)


def sick():
    return [valves(range(0, 80, 25)), valves(range(3, 80, 10))]


def healthy():
    return [
        world(),
        valves(range(80)),
        # taking turns, a way to a fork, a cool-down after each shot, and what is heeded for a while
        valves(range(0, 80, 2)),
        valves([20, 21, 22, 40]),
        valves([0, 7, 20, 31, 44]),
        valves(range(0, 30, 10)),
        valves([], length=0),
    ]


def test_the_period_is_told():
    assert "once in 25 steps only, at 4 of 80 steps" in heeded_now_and_then.rule.ask(sick()[0]).message
    assert isinstance(heeded_now_and_then.rule.ask(valves([0, 50])), CannotTell)
