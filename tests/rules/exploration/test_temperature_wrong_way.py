from __future__ import annotations

from typing import Any

import numpy as np

from tests.rollouts import look
from weaklink.base.evidence.rollout import PolicySpread, Temperature
from weaklink.base.finding import CannotTell
from weaklink.judge.rules._registry import find_rule

RULE = find_rule("EXP201")


def stepped(entropy: float, target: float, *, sign: float = 1.0, rate: float = 3e-4, **parts: Any):
    """One step of Adam on the loss of the temperature, -log_alpha (log_prob + target)."""
    slope = sign * -(-entropy + target)
    before = -0.5
    after = before - rate * slope / (abs(slope) + 1e-8)
    part = Temperature(before=before, after=after, entropy_excess=entropy - target, target_entropy=target)
    return look(temperature=part, **parts)


def bounded(entropy: float, error: float):
    """A policy of two actions between -1 and 1."""
    part = Temperature(before=-0.5, after=-0.6, entropy_excess=entropy + 2.0, target_entropy=-2.0,
                       largest_entropy=2 * float(np.log(2)), entropy_error=error)  # fmt: skip
    return look(temperature=part)


def sick():
    return [
        stepped(2.0, -3.0, sign=-1.0),
        stepped(-9.0, -3.0, sign=-1.0),
        stepped(0.5, -1.0, sign=-1.0),
        stepped(0.5, 2.0, spread=PolicySpread(largest_entropy=float(np.log(4)))),
        bounded(2.8, 0.1),
    ]


def healthy():
    return [
        stepped(2.0, -3.0),
        stepped(-9.0, -3.0),
        stepped(-2.9, -3.0, sign=-1.0),  # near the target momentum decides
        stepped(-1.6, -3.0, sign=-1.0),
        stepped(2.0, -3.0, rate=0.0),
        stepped(float("nan"), -3.0, sign=-1.0),
        bounded(1.3, 0.1),
        bounded(1.7, 0.1),  # chance
        stepped(0.5, 1.0, spread=PolicySpread(largest_entropy=float(np.log(4)))),
    ]


def test_the_words():
    above, below, *_ = (RULE.ask(case).message for case in sick())
    assert "5 above its target, but the temperature rose" in above
    assert "6 below its target, but the temperature fell" in below


def test_near_the_target_nothing_is_said():
    assert isinstance(RULE.ask(stepped(-2.9, -3.0, sign=-1.0)), CannotTell)
