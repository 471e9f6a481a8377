from __future__ import annotations

from typing import Any

import numpy as np

from tests.rollouts import look
from weaklink.base.evidence.rollout import CriticCopyFit, Estimates, Pairing
from weaklink.base.finding import CannotTell
from weaklink.judge.rules._registry import find_rule

RULE = find_rule("VAL202")


def fitted(*, broadcast: bool, noise: bool = False, states: int | None = 16, rows: int = 512, updates: int = 200):
    """A linear critic on tiles of the observation, trained on fixed returns by plain gradient descent.

    With `broadcast` its error compares every row with every other, as (B, 1) against (B,) does.
    """
    rng = np.random.default_rng(0)
    place = rng.integers(0, states, rows) / states if states else rng.random(rows)
    returns = rng.normal(size=rows) if noise else np.sin(6 * place) + 0.1 * rng.normal(size=rows)
    tiles = np.eye(16)[np.minimum((place * 16).astype(int), 15)]
    weights = np.zeros(16)

    def left() -> float:
        return float(np.var(returns - tiles @ weights) / np.var(returns))

    before = left()
    for _ in range(updates):
        error = (tiles @ weights)[:, None] - returns[None, :] if broadcast else tiles @ weights - returns
        weights -= 0.5 * tiles.T @ (error.mean(axis=1) if broadcast else error) / rows * 4
    table = None
    if states:
        means = {one: returns[place == one].mean() for one in np.unique(place)}
        table = float(np.var(returns - np.vectorize(means.get)(place)) / np.var(returns))
    return look(
        fit=CriticCopyFit(before=before, after=left(), updates=updates, rows=rows, table=table),
        pairing=Pairing(observations=place.reshape(-1, 1, 1)),
        estimates=Estimates(rewards=returns, returns=returns),
    )


def fit(**given: Any):
    return look(
        fit=CriticCopyFit(**({"before": 1.0, "after": 0.95, "updates": 200, "rows": 512, "table": 0.05} | given))
    )


def sick():
    return [
        fitted(broadcast=True),
        fitted(broadcast=True, states=None),  # no observation repeats: the nearest ones tell
        fit(),
        fit(before=1.4, after=1.1, best=0.99),
    ]


def healthy():
    return [
        fitted(broadcast=False),
        fitted(broadcast=False, states=None),
        fitted(broadcast=False, noise=True),
        fitted(broadcast=True, noise=True, states=None),  # nothing to explain
        fit(after=0.4),
        fit(before=0.2, after=0.19),  # fits already
        fit(before=3.0, after=1.2),  # on its way
        fit(table=0.9),
        fit(table=None),
        fit(rows=16),
        fit(updates=3),
        fit(before=float("nan"), after=float("nan")),
    ]


def test_says_what_would_do_better():
    assert "a table of the observations would leave" in RULE.ask(sick()[0]).message
    assert "the nearest observations would leave" in RULE.ask(sick()[1]).message


def test_noise_proves_nothing():
    answer = RULE.ask(fit(table=None))
    assert isinstance(answer, CannotTell)
