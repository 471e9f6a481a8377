from __future__ import annotations

import numpy as np

from tests.sampled import Training
from weaklink.base.evidence.samples import Sample, Samples, ToolCall
from weaklink.collect.samples.trajectories import count_paid_again


def agents(t: Training, share, again: int = 8, won: float = 0.0, price: float = 1.0) -> Samples:
    """So many repeat what pays, so often, and succeed with this chance; others in half of the trajectories."""
    farmed = t.chance(share)
    success = np.where(farmed == 1, t.chance(max(won, 1e-9)), t.chance(0.5))
    times = np.where(farmed == 1, again, 1.0)
    return t.samples(paid_again=times, reward=price * times + 3 * success, success=success)


def sick():
    t = Training()
    return [
        agents(t, t.ramp(0.05, 0.8)),
        agents(t, 0.4),
        agents(t, 0.3, again=5, won=0.1),
        # few trajectories
        agents(Training(steps=34, prompts=1, size=1), 0.4),
    ]


def healthy():
    t = Training()
    return [
        agents(t, 1e-9),
        agents(t, 0.03),
        # a second time, for a thing that fell down; those who repeat succeed; repeating is not worth it
        agents(t, 0.4, again=2),
        agents(t, 0.4, won=0.6),
        agents(t, 0.4, again=3, price=0.01),
        # paid for every step, and nobody succeeds
        t.samples(paid_again=t.lengths(8), reward=t.lengths(8), success=np.zeros(t.rows)),
    ]


def test_how_often_one_call_was_paid():
    calls = tuple(ToolCall(tool=tool, arguments="") for tool in ("take", "drop", "take", "look", "take"))
    assert count_paid_again(Sample(calls=calls, step_rewards=(1.0, 0.0, 1.0, 0.5, 1.0))) == 3.0
    assert count_paid_again(Sample(calls=calls, step_rewards=(0.0,) * 5)) == 0.0
    assert count_paid_again(Sample(calls=calls)) is None
