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


def kept(*, later=False, paid=False):
    """A valve that is set by the first action; or one that can be set later in some states, or whose use is paid."""
    found = valves([0], length=57).trials
    rows, rewards = found.rows.copy(), found.rewards.copy()
    rows[0, 1] += 1.0
    rows[9, 1] += float(later)
    rewards[9, 1] += float(paid)
    return changed(world(), trials=changed(found, rows=rows, rewards=rewards))


def test_actions_that_are_heeded_at_the_first_step_alone_are_an_alarm():
    assert "at the first step of an episode alone" in heeded_now_and_then.rule.ask(kept()).message
    for other in (kept(later=True), kept(paid=True)):
        assert isinstance(heeded_now_and_then.rule.ask(other), CannotTell)
