from __future__ import annotations

import numpy as np

from tests.sampled import Training
from weaklink.base.finding import Level
from weaklink.judge.rules._registry import find_rule

RULE = find_rule("LLM329")


def lost(t: Training, share) -> dict[str, np.ndarray]:
    gone = t.chance(share)
    return {"reward_not_finite": gone, "reward": np.where(gone, np.nan, t.chance(0.5))}


def sick():
    t = Training()
    return [
        t.samples(**lost(t, t.ramp(0.0, 0.5))),
        t.samples(**lost(t, 0.02)),
        t.samples(step=None, **lost(t, 0.3)),
    ]


def healthy():
    t = Training()
    one = np.zeros(t.rows)
    one[7] = 1.0
    return [
        t.samples(**lost(t, 0.0)),
        # rows that were never graded say nothing, and no NaN
        t.samples(reward_not_finite=np.zeros(t.rows), reward=np.where(t.chance(0.5), np.nan, t.chance(0.5))),
        t.samples(reward_not_finite=one, reward=np.where(one, np.nan, 1.0)),
    ]


def test_says_since_when_and_how_many():
    t = Training()
    finding = RULE.ask(t.samples(**lost(t, t.ramp(-0.4, 0.6).clip(0))))
    assert finding.severity is Level.ERROR
    assert "NaN" in finding.message
    assert finding.onset > 0.2 * t.step[-1]
