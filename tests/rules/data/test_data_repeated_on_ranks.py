from __future__ import annotations

import numpy as np

from tests.ranked import with_batches
from weaklink.base.finding import CannotTell
from weaklink.judge.rules.data.data_repeated_on_ranks import data_repeated_on_ranks

RULE = data_repeated_on_ranks.rule


def draw(seed: int, rows: int = 16) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(rows, 5)).astype(np.float32)


def sick():
    return [
        with_batches(lambda rank, step: draw(step)),
        with_batches(lambda rank, step: np.random.default_rng(rank).permutation(draw(step))),  # in another order
        with_batches(lambda rank, step: draw(step, 1)),
        with_batches(lambda rank, step: draw(100 * step + (0 if rank == 3 else rank)), world=4),
    ]


def healthy():
    return [
        with_batches(lambda rank, step: draw(100 * step + rank)),
        with_batches(lambda rank, step: np.concatenate((draw(step, 2), draw(100 * step + rank, 14)))),  # padded
        with_batches(lambda rank, step: np.arange(16)),  # places in a text
        with_batches(lambda rank, step: np.eye(16)[np.random.default_rng(step + rank).integers(16, size=64)]),
        with_batches(lambda rank, step: draw(step) if step == 4 else draw(100 * step + rank)),
    ]


def test_the_two_ranks_are_named():
    assert RULE.ask(sick()[0]).message.startswith("Ranks 0 and 1 are given the same rows: 100%")
    assert RULE.ask(sick()[3]).message.startswith("Ranks 0 and 3")


def test_rows_that_do_not_stand_for_themselves_are_not_judged():
    assert isinstance(RULE.ask(healthy()[2]), CannotTell)
