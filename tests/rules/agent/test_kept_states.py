from __future__ import annotations

import numpy as np

from tests.sampled import Training
from weaklink.base.evidence.samples import Sample, Samples
from weaklink.collect.samples.trajectories import hash_world


def states(t: Training, start: np.ndarray, end: np.ndarray, **columns) -> Samples:
    told = {"prompt": t.group, "start": start, "end": end, "state_changed": np.ones(t.rows)} | columns
    return t.samples(**told)


def carry(t: Training, end: np.ndarray, share: float) -> np.ndarray:
    """So many begin where the same worker's trajectory of the draw before had ended, the others in state 0."""
    before = np.roll(end, t.size)
    before[: t.size] = 0
    return np.where(t.chance(share) == 1, before, 0)


def sick():
    t = Training()
    end = t.rng.integers(1, 10_000, t.rows)
    return [states(t, carry(t, end, 0.75), end), states(t, carry(t, end, 0.2), end, step=None)]


def healthy():
    t = Training()
    end, own = t.rng.integers(1, 10_000, t.rows), 20_000 + t.rng.integers(1, 10_000, t.rows)
    turns = np.roll(end, 1)
    turns[:: t.size] = 0
    return [
        states(t, np.zeros(t.rows), end),
        # every task has a state of its own, or every trajectory has, drawn at random
        states(t, t.group, end),
        states(t, own, end),
        # both are drawn from a few
        states(t, t.rng.integers(0, 60, t.rows), t.rng.integers(0, 60, t.rows)),
        # rows are the turns of one episode
        states(t, turns, end),
        # a few
        states(t, carry(t, end, 0.005), end),
    ]


def test_states_are_compared_without_the_names_around_them():
    told = hash_world(Sample(initial_state='{"cart":{"lamp":1}}', final_state='{"ordered":{"lamp":1}}'))
    assert told["start"] == told["end"]
    told = hash_world(Sample(initial_state='{"cart":{}}', final_state="[]"))
    assert told["start"] == told["end"]
    told = hash_world(Sample(initial_state='{"cart":{"lamp":1}}', final_state='{"cart":{"lamp":2}}'))
    assert told["start"] != told["end"]
    assert not hash_world(Sample(completion="done"))
