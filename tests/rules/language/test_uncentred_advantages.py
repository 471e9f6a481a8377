from __future__ import annotations

import numpy as np

from tests.sampled import Training
from weaklink.base.reference.groups import grpo
from weaklink.judge.rules._registry import find_rule

RULE = find_rule("LLM353")


def take_off(t: Training, reward: np.ndarray, off: int, *, scaled: bool = False) -> np.ndarray:
    """Rewards minus the mean of a group so far off, divided by the deviation of the own one where wished; rounded."""
    groups = reward.reshape(-1, t.size)
    left = groups - np.roll(groups.mean(axis=1), -off)[:, None]
    return np.round((left / (groups.std(axis=1, keepdims=True) + 1e-4) if scaled else left).ravel(), 4)


def scale_by_step(t: Training, reward: np.ndarray) -> np.ndarray:
    """Rewards minus their mean over all groups of the step, divided by their deviation there."""
    steps = reward.reshape(t.steps, -1)
    return ((steps - steps.mean(axis=1, keepdims=True)) / (steps.std(axis=1, keepdims=True) + 1e-6)).ravel()


def sick():
    t = Training()
    right, score, hard = t.chance(0.5), t.share(0.6, 0.2) + 0.1, t.chance(0.5, hardness=2.0)
    return [
        t.samples(reward=right + 0.5, advantage=(right + 0.5) / 0.57),
        t.samples(reward=score, advantage=3.0 * score),
        t.samples(reward=score, advantage=score - 5.0),
        # one mean for all, where the method that is named centres in groups
        t.samples(reward=hard, advantage=(hard - hard.mean()) / hard.std(), group_relative=np.ones(t.rows)),
        # one mean for all of a step
        t.samples(reward=hard, advantage=scale_by_step(t, hard), group_relative=np.ones(t.rows)),
        # the mean of the group after, and of one further before
        t.samples(reward=hard, advantage=take_off(t, hard, 1)),
        t.samples(reward=score, advantage=take_off(t, score, -6, scaled=True)),
    ]


def healthy():
    t = Training()
    right, score = t.chance(0.5), t.normal(0.0, 1.0)
    return [
        t.samples(reward=right, advantage=grpo(right, t.group)),
        # relative to the batch; without the standard deviation; a critic that is far too low, at first
        t.samples(reward=score, advantage=score - score.mean()),
        t.samples(reward=right, advantage=right - 0.5),
        t.samples(reward=right, advantage=right + t.normal(t.ramp(2.0, -0.5), 0.4)),
        # the mean of its own group, or of the others in it; one that moves along with training
        t.samples(reward=right, advantage=take_off(t, right, 0, scaled=True)),
        t.samples(reward=right, advantage=take_off(t, right, 0) * t.size / (t.size - 1)),
        t.samples(reward=right, advantage=np.round(right - t.ramp(0.3, 0.6), 4)),
        # what is named and what is done agree; a baseline for all by a method that is not named
        t.samples(reward=right, advantage=grpo(right, t.group), group_relative=np.ones(t.rows)),
        t.samples(reward=t.hardness + score, advantage=t.hardness + score),
        t.samples(reward=right, advantage=scale_by_step(t, right)),
        # rewards of both signs are their own advantages
        t.samples(reward=2.0 * right - 1.0, advantage=2.0 * right - 1.0),
        # one row a prompt: there is no group to centre in
        t.samples(group=np.arange(t.rows), reward=right + 0.5, advantage=right + 0.5),
        # nothing differs
        t.samples(reward=np.ones(t.rows), advantage=np.ones(t.rows)),
    ]


def test_the_group_that_was_taken_is_named():
    told = [RULE.ask(samples).message for samples in sick()[-2:]]
    assert "the group 1 place after it" in told[0]
    assert "the group 6 places before it" in told[1]
