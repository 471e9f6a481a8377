from __future__ import annotations

import numpy as np

from weaklink.base.evidence.rollout import ReferenceKl, Rollout
from weaklink.base.finding import CannotTell
from weaklink.judge.rules._registry import find_rule

RULE = find_rule("LLM205")


def seen(kl, floor=0.0):
    return Rollout(step=0, update=1, reference=ReferenceKl(kl=np.asarray(kl, float), floor=floor))


def sick():
    return [
        seen([0.3, 0.2, 0.4]),
        seen([0.004] * 8, floor=1e-5),
        seen([0.5, np.nan, 0.1]),
        # an estimator of either sign whose mean is about 0
        seen([-0.3, 0.3, -0.2, 0.2]),
    ]


def healthy():
    return [
        seen(np.zeros(8)),
        # rounding of 16-bit numbers
        seen([2e-4] * 8, floor=1e-4),
        # dropout is on
        seen([0.02] * 8, floor=0.01),
        seen([np.nan, np.nan]),
        seen([]),
    ]


def test_says_how_far():
    assert RULE.ask(sick()[0]).message == "The KL to the reference is 0.3 per token before the first optimizer step."


def test_without_a_number_it_cannot_tell():
    assert isinstance(RULE.ask(healthy()[-1]), CannotTell)
    assert isinstance(RULE.ask(healthy()[-2]), CannotTell)
