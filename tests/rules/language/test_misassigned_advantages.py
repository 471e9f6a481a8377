from __future__ import annotations

import numpy as np

from tests.sampled import Training
from weaklink.base.reference.groups import grpo
from weaklink.judge.rules._registry import find_rule

RULE = find_rule("LLM381")


def turn(t: Training, advantage: np.ndarray, off: int) -> np.ndarray:
    """Within each group the advantages of the rows so many places before."""
    return np.roll(advantage.reshape(-1, t.size), off, axis=1).ravel()


def shuffle(t: Training, advantage: np.ndarray) -> np.ndarray:
    return t.rng.permuted(advantage.reshape(-1, t.size), axis=1).ravel()


def sick():
    t = Training()
    right, score = t.chance(0.5, hardness=1.0), t.share(0.5, 0.3)
    advantages = grpo(right, t.group), grpo(score, t.group)
    return [
        t.samples(reward=right, advantage=turn(t, advantages[0], 1)),
        t.samples(reward=score, advantage=turn(t, advantages[1], 2)),
        t.samples(reward=right, advantage=np.round(shuffle(t, advantages[0]), 4)),
        t.samples(reward=score, advantage=shuffle(t, advantages[1]), step=None),
        # over the bounds of groups, within each step
        t.samples(reward=score, advantage=np.roll(advantages[1].reshape(t.steps, -1), 4, axis=1).ravel()),
    ]


def healthy():
    t = Training()
    right, score = t.chance(0.5, hardness=1.0), t.share(0.5, 0.3)
    return [
        t.samples(reward=right, advantage=grpo(right, t.group)),
        t.samples(reward=score, advantage=np.round(grpo(score, t.group), 3)),
        # with the wrong sign, which is another fault
        t.samples(reward=right, advantage=-grpo(right, t.group)),
        # of a critic, and of a reward of which the logged one is a part
        t.samples(reward=right, advantage=t.normal(right - 0.5, 1.0)),
        t.samples(reward=right, advantage=grpo(0.2 * right + score, t.group)),
        # a few groups in another order
        t.samples(
            reward=right,
            advantage=np.where(t.group < 20, turn(t, grpo(right, t.group), 1), grpo(right, t.group)),
        ),
        # nothing was won
        t.samples(reward=0.0 * right, advantage=0.0 * right),
    ]


def test_the_distance_is_told_where_it_is_one():
    told = [RULE.ask(samples).message for samples in sick()]
    assert "row 1 place before it" in told[0]
    assert "row 2 places before it" in told[1]
    assert all("before it" not in message for message in told[2:4])
    assert "row 4 places before it in its step" in told[4]
