"""Weights of prioritised replay: which way they go with the errors that rows are drawn by."""

from __future__ import annotations

import numpy as np
import pytest

from weaklink.base.evidence.flaw_kinds import ONE_SIDED_DRAWS, RISING_WEIGHTS
from weaklink.base.evidence.update import HeadCall
from weaklink.collect.monitor.reading.importance_weights import find_one_sided_draws, find_rising_weights
from weaklink.collect.monitor.reading.replayed_rows import is_looked_at


def draw(power: float, evenly: bool, seed: int, kept: int = 600, drawn: int = 1024) -> list[str]:
    """The flaws of a memory whose priorities are the errors of some time ago."""
    random = np.random.default_rng(seed)
    errors = random.lognormal(0.0, 1.0, kept) * random.choice([-1.0, 1.0], kept)
    chances = (np.abs(errors) * random.lognormal(0.0, 0.5, kept)) ** 0.6
    chances /= chances.sum()
    rows = random.choice(kept, drawn, p=None if evenly else chances)
    weights = (kept * chances[rows]) ** power
    return [each.kind for each in find_rising_weights("q", rows, weights / weights.max(), errors[rows])]


@pytest.mark.parametrize("seed", range(5))
def test_weights_that_rise_where_rows_are_drawn_by_their_errors(seed: int) -> None:
    assert draw(0.5, evenly=False, seed=seed) == [RISING_WEIGHTS]
    assert draw(-0.5, evenly=False, seed=seed) == []
    assert draw(-1.0, evenly=False, seed=seed) == []
    assert draw(0.0, evenly=False, seed=seed) == []
    assert draw(0.5, evenly=True, seed=seed) == []  # weights in place of priorities


def learn(priority: str, seed: int, kept: int = 600, steps: int = 16, batch: int = 64) -> list[HeadCall]:
    """Minibatches of a critic whose rows are drawn by the size of their error, by the error itself, or evenly; after
    each of them an actor looks at the critic in the same rows."""
    random = np.random.default_rng(seed)
    errors = random.normal(0.3, 1.0, kept)
    sizes = {"size": np.abs(errors), "signed": errors.clip(min=0.0) + 1e-3, "evenly": np.ones(kept)}[priority]
    chances = sizes**0.6 / np.sum(sizes**0.6)
    calls = []
    for step in range(steps):
        rows = random.choice(kept, batch, p=None if step < 4 else chances)  # at first no row has an error
        for asked in (-errors[rows], np.full(batch, -1.0)):
            columns = np.zeros((batch, 3)), np.zeros((batch, 1)), asked[:, None] / batch
            calls.append(HeadCall("q", step, *columns, rows))
    return calls


@pytest.mark.parametrize("seed", range(5))
def test_rows_of_one_sign_that_hardly_come_back(seed: int) -> None:
    def judge(priority: str) -> list[str]:
        own = [call for call in learn(priority, seed) if not is_looked_at(call)]
        return [each.kind for each in find_one_sided_draws(own)]

    assert judge("signed") == [ONE_SIDED_DRAWS]
    assert judge("size") == []
    assert judge("evenly") == []
