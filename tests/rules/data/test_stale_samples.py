from __future__ import annotations

from typing import Any

import numpy as np

from tests.rollouts import look
from weaklink.base.evidence.rollout import Probabilities, SampleAges
from weaklink.base.finding import CannotTell
from weaklink.judge.rules._registry import find_rule

RULE = find_rule("DAT203")


def ages(updates: Any, tolerated: float | None = 0.0, epochs: int | None = 4):
    kept = Probabilities(stored=np.zeros(4), epochs=epochs)
    return look(ages=SampleAges(updates=np.asarray(updates), tolerated=tolerated), probabilities=kept)


def never_emptied(rollouts: int, rows: int = 64) -> np.ndarray:
    """The ages of a buffer that grows by a rollout an update and is never emptied."""
    return np.repeat(np.arange(rollouts), rows)


def sick():
    return [
        ages(never_emptied(2)),
        ages(never_emptied(5)),
        ages(np.full(64, 9)),
        ages(np.arange(64) % 8, tolerated=4),
        ages(never_emptied(2), epochs=None),
    ]


def healthy():
    return [
        ages(never_emptied(1)),
        ages(np.ones(64)),  # counted from one
        ages(np.full(64, 3)),  # counted by epochs
        ages(np.arange(64) % 4, tolerated=4),
        ages(never_emptied(50), tolerated=None),  # replay
        ages([0, 5]),
        ages(np.full(64, np.nan)),
        ages(np.r_[np.zeros(499), 1.0]),  # one late row in five hundred
    ]


def test_says_how_many_and_how_old():
    message = RULE.ask(ages(never_emptied(2))).message
    assert message.startswith("50% of 128 samples")
    assert isinstance(RULE.ask(ages([0, 5])), CannotTell)
