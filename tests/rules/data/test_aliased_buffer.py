from __future__ import annotations

from typing import Any

import numpy as np

from tests.rollouts import look
from weaklink.base.evidence.rollout import Storage
from weaklink.base.finding import CannotTell
from weaklink.judge.rules._registry import find_rule

RULE = find_rule("DAT202")


def stored(*, copies: bool, steps: int = 64) -> float:
    """The share of repeats in a store that copies what an environment returns in one array of its own, or does not."""
    rng, array, store, given = np.random.default_rng(0), np.zeros(3), [], []
    for _ in range(steps):
        array += rng.normal(size=3)
        store.append(array.copy() if copies else array)
        given.append(array.copy())
    same = [np.array_equal(store[step], store[step - 1]) for step in range(1, steps)]
    moved = [not np.array_equal(given[step], given[step - 1]) for step in range(1, steps)]
    return float(np.sum(np.logical_and(same, moved)) / np.sum(moved))


def kept(**given: Any):
    return look(storage=Storage(**({"rows": 64, "repeated": 0.0} | given)))


def sick():
    return [
        kept(repeated=stored(copies=False)),
        kept(repeated=0.06),
        kept(shared=("observations and next_observations",)),
        kept(shared=("a and b", "b and c", "c and d", "d and e"), repeated=None),
    ]


def healthy():
    return [
        kept(repeated=stored(copies=True)),
        kept(repeated=0.04),
        kept(repeated=None),
        kept(repeated=1.0, rows=2),
        kept(repeated=float("nan")),
    ]


def test_names_what_is_shared():
    assert "a and b, b and c, c and d and 1 more" in RULE.ask(sick()[3]).message


def test_needs_rows():
    assert isinstance(RULE.ask(kept(repeated=1.0, rows=2)), CannotTell)
    assert isinstance(RULE.ask(kept(repeated=None)), CannotTell)
