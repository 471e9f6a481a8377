from __future__ import annotations

from typing import Any

import numpy as np

from tests.rollouts import look
from weaklink.base.evidence.rollout import NormaliserUse
from weaklink.base.finding import CannotTell
from weaklink.base.reference.moments import merge_moments, moments
from weaklink.judge.rules._registry import find_rule

RULE = find_rule("OBS201")


def used(**given: Any):
    return look(normalisers=(NormaliserUse(**({"name": "VecNormalize", "counted": 2048, "steps": 2048} | given)),))


def counted(epochs: int) -> float:
    """What running moments count that see a rollout once, or once an epoch."""
    rollout = np.random.default_rng(0).normal(size=(256, 3))
    running = moments(rollout)
    for _ in range(epochs - 1):
        running = merge_moments(running, moments(rollout))
    return running[2]


def sick():
    return [
        used(counted=counted(2), steps=256),
        used(counted=counted(10), steps=256),
        used(evaluation_counted=500.0),
        used(resumed=True, restored=False),
        used(counted=4096, evaluation_counted=300.0),
        used(evaluation_lacks=2000.0),
    ]


def healthy():
    return [
        used(),
        used(counted=counted(1), steps=256),
        used(counted=2048 + 64),  # resets count, too
        used(counted=0.0),  # frozen
        used(resumed=True, restored=True),
        used(resumed=True, restored=None),
        used(counted=30, steps=10),
        look(normalisers=()),
    ]


def test_each_cause_is_told():
    twice, _, evaluation, lost, both, other = (RULE.ask(case) for case in sick())
    assert "lack 2,000 of the samples" in other.message
    assert "2 times as many" in twice.message
    assert "during an evaluation" in evaluation.message
    assert "started from scratch" in lost.message
    assert len(both) == 2


def test_too_few_steps():
    assert isinstance(RULE.ask(used(counted=30, steps=10)), CannotTell)
