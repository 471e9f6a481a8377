from __future__ import annotations

from typing import Any

import numpy as np

from tests.rollouts import look
from weaklink.base.evidence.rollout import Probabilities
from weaklink.base.finding import CannotTell
from weaklink.judge.rules._registry import find_rule

RULE = find_rule("POL203")


def trained(*, anew: bool, epochs: int = 4, rate: float = 0.3, rows: int = 128, told: int | None = -1, **given: Any):
    """Policy gradient on a softmax of two actions, the old log-probabilities kept or computed anew in each epoch."""
    rng = np.random.default_rng(0)
    features, weights = rng.normal(size=(rows, 3)), np.zeros(3)
    actions, advantages = rng.choice([-1.0, 1.0], rows), rng.normal(size=rows)

    def log_probs() -> np.ndarray:
        return -np.log1p(np.exp(-actions * (features @ weights)))

    stored, spread = log_probs(), 0.0
    for _ in range(epochs):
        now = log_probs()
        ratio = np.exp(now - (now if anew else stored))
        spread = max(spread, float(np.abs(ratio - 1).max()))
        slope = ratio * advantages * actions * (1 - np.exp(now))
        weights = weights + rate * (features * slope[:, None]).mean(axis=0)
    known = epochs if told == -1 else told
    fields = {"stored": stored, "fresh": stored, "after": log_probs(), "epochs": known, "used_ratio_spread": spread}
    return look(probabilities=Probabilities(**(fields | given)))


def sick():
    return [trained(anew=True), trained(anew=True, epochs=10, rate=0.1), trained(anew=True, used_ratio_spread=1e-7)]


def healthy():
    return [
        trained(anew=False),
        trained(anew=False, epochs=2, rate=1.0),
        trained(anew=True, epochs=1),  # one epoch: 1 by right
        trained(anew=True, rate=1e-3),  # hardly any movement
        trained(anew=True, told=None),
        trained(anew=True, used_ratio_spread=None),
        trained(anew=True, after=None),
        trained(anew=True, floor=0.05),  # the noise is as large as the movement
    ]


def test_says_how_far_the_policy_went():
    message = RULE.ask(sick()[0]).message
    assert "Over 4 epochs" in message
    assert "from 1" in message


def test_one_epoch_cannot_be_judged():
    assert isinstance(RULE.ask(trained(anew=True, epochs=1)), CannotTell)
