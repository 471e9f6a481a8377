from __future__ import annotations

import numpy as np

from tests.sampled import Training
from weaklink.base.finding import CannotTell
from weaklink.judge.rules._registry import find_rule

RULE = find_rule("LLM357")


def sick():
    t = Training()
    texts = np.arange(t.rows)
    return [
        t.samples(reward=np.minimum(t.normal(8.0, 2.0), 5.0), text=texts),
        t.samples(reward=np.minimum(t.normal(t.ramp(0.6, 1.6), 0.3), 1.0), text=texts),
        t.samples(step=None, reward=np.minimum(t.normal(8.0, 2.0), 5.0), text=texts, gold=t.chance(0.5)),
    ]


def healthy():
    t = Training()
    texts = np.arange(t.rows)
    return [
        t.samples(reward=t.normal(0.0, 1.0), text=texts),
        # verdicts, and tests that pass in part
        t.samples(reward=t.chance(0.95), text=texts),
        t.samples(reward=np.minimum(np.round(t.normal(1.2, 0.3) * 4) / 4, 1.0), text=texts),
        # translations that are the reference
        t.samples(reward=np.minimum(t.normal(1.4, 0.3), 1.0), text=t.group % 40),
        # perfect ones by their outcome
        t.samples(reward=np.minimum(t.normal(1.4, 0.3), 1.0), text=texts, gold=np.ones(t.rows)),
    ]


def test_few_rows_say_nothing():
    t = Training(steps=2, prompts=2)
    assert isinstance(RULE.ask(t.samples(reward=np.ones(t.rows), text=np.arange(t.rows))), CannotTell)
