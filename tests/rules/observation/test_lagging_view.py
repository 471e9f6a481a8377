"""Real late views are in tests/rules/action/test_late_effect.py, beside real late actions."""

from __future__ import annotations

import numpy as np

from tests.rules.action.test_late_effect import latency
from tests.worlds import changed, play, with_play, world


def sick():
    return [
        changed(world(), latency=latency([13, 13, 13, 13, 13, 13], paid=2.0)),
        # refreshed at every fourth step: the reward goes on in between, or episodes end there
        with_play(world(), random=refreshed(4)),
        with_play(world(), random=refreshed(4, rewards=np.ones(5000))),
    ]


def refreshed(period, **given):
    """Random play whose observation is taken anew at every so many steps only."""
    lengths = np.tile([45, 55, 53, 47], 25)
    made = play("random", lengths=lengths, **given)
    held = (made.time // period) * period - made.time
    rows = made.observations[np.arange(len(held)) + held]
    after = np.vstack([rows[1:], rows[-1:]])
    last = made.starts + made.lengths - 1
    after[last] = np.where((made.lengths % period == 0)[:, None], made.successors[last], rows[last])
    return changed(made, observations=rows, successors=after)


def healthy():
    return [
        changed(world(), latency=latency([1, 1, np.nan, 1, 1, 1], paid=2.0)),
        changed(world(), latency=latency([2, 2, 2, 2, 2, 2], paid=2.0)),
        # a market that is open at every fifth step, and a world that ends with its round
        with_play(world(), random=changed(refreshed(5, rewards=np.ones(5000)), lengths=np.full(100, 50))),
        # what changes now and then does so at any step
        with_play(world(), random=seldom()),
        # actions act late, which is another rule's
        changed(world(), latency=latency([5, 5, 5, 5, 5, 5], paid=6.0)),
        changed(world(), latency=latency([13, 13, np.nan, np.nan, np.nan, np.nan], paid=2.0)),
    ]


def seldom():
    """Random play that shows something new at one step of five, whenever it happens."""
    made = play("random")
    new = np.random.default_rng(0).random(len(made.rewards)) < 0.2
    rows = made.observations[np.maximum.accumulate(np.where(new, np.arange(len(new)), 0))]
    return changed(made, observations=rows, successors=np.vstack([rows[1:], rows[-1:]]))
