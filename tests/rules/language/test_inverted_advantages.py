from __future__ import annotations

import numpy as np

from tests.sampled import Training
from weaklink.base.finding import CannotTell, Level
from weaklink.base.reference.groups import grpo
from weaklink.judge.rules._registry import find_rule

RULE = find_rule("LLM320")


def sick():
    t = Training()
    right, score = t.chance(0.5), t.normal(0.0, 1.0)
    return [
        t.samples(reward=right, advantage=-grpo(right, t.group)),
        t.samples(reward=score, advantage=-grpo(score, t.group)),
        t.samples(reward=score, advantage=grpo(-score + t.normal(0, 0.5), t.group)),
    ]


def healthy():
    t = Training()
    right, score = t.chance(0.5, hardness=1.0), t.normal(0.0, 1.0)
    value = t.normal(score, 1.5)
    return [
        t.samples(reward=right, advantage=grpo(right, t.group)),
        # relative to the batch, not to the group; clipped; a critic that is hardly any use; a length penalty besides
        t.samples(reward=score, advantage=score - score.mean()),
        t.samples(reward=score, advantage=np.clip(grpo(score, t.group), -1, 1)),
        t.samples(reward=score, advantage=score - value),
        t.samples(reward=right, advantage=grpo(right - 0.5 * t.share(0.5, 0.3), t.group)),
        # nothing differs
        t.samples(reward=np.ones(t.rows), advantage=np.zeros(t.rows)),
        # shuffled, which is another fault
        t.samples(reward=score, advantage=t.rng.permutation(grpo(score, t.group))),
    ]


def test_it_is_an_error_and_equal_rewards_do_not_tell():
    assert {RULE.ask(samples).level for samples in sick()} == {Level.ERROR}
    assert isinstance(RULE.ask(healthy()[5]), CannotTell)
