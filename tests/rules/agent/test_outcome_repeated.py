from __future__ import annotations

import numpy as np

from tests.sampled import Training
from weaklink.collect.readers.samples import make_sample
from weaklink.collect.samples.marks import mark_sample


def sick():
    t = Training()
    won, steps = t.chance(0.4), t.lengths(6.0)
    return [t.samples(outcome_repeated=np.where(won == 1, 1.0, np.nan), reward=won * steps)]


def healthy():
    t = Training()
    won, steps = t.chance(0.4), t.lengths(6.0)
    return [
        # once, at the end
        t.samples(outcome_repeated=np.where(won == 1, 0.0, np.nan), reward=won),
        # staying alive is paid, success or not
        t.samples(outcome_repeated=np.ones(t.rows), reward=steps),
        # progress, by chance the same at each step in a few
        t.samples(outcome_repeated=np.where(won == 1, t.chance(0.2), np.nan), reward=won * steps),
    ]


def read(paid: list[float], reward: float) -> float | None:
    steps = [{"thought": "Go on.", "tool": "look", "args": {}, "result": "a wall", "reward": each} for each in paid]
    return mark_sample(make_sample({"prompt": "Leave.", "steps": steps, "reward": reward}), "").get("outcome_repeated")


def test_rewards_of_steps_are_read():
    assert read([1.0, 1.0, 1.0], 3.0) == 1.0
    # each step has the outcome as its return, and it was paid once
    assert read([1.0, 1.0, 1.0], 1.0) == 0.0
    assert read([0.0, 0.0, 1.0], 1.0) == 0.0
    assert read([0.0, 0.0, 0.0], 0.0) is None
    # a cost of each step
    assert read([-0.1, -0.1, -0.1], -0.3) == 0.0
