from __future__ import annotations

import numpy as np

from tests.ranked import Plan, change_looks, train_ranks
from weaklink.base.evidence.ranks import Ranks
from weaklink.base.finding import CannotTell
from weaklink.judge.rules.system.slow_rank import slow_rank

RULE = slow_rank.rule


def with_times(away, usual=None, steps: int = 64, world: int = 2, whole: float = 0.1) -> Ranks:
    """Ranks whose steps take a tenth of a second, of which these seconds are each rank's own."""
    draws = np.random.default_rng(0)

    def time(rank, look):
        own = away(rank, look) * draws.lognormal(0.0, 0.2)
        median = own if usual is None else usual(rank, look)
        return {"seconds": whole * look.steps, "away": own * look.steps, "usual_away": median}

    return change_looks(train_ranks(Plan(steps=steps, world=world)), time)


def sick():
    return [
        with_times(lambda rank, look: 0.06 if rank == 1 else 0.01),
        with_times(lambda rank, look: 0.06 if rank == 0 else 0.01),
        with_times(lambda rank, look: 0.05 if rank == 2 else 0.01, world=4),
    ]


def healthy():
    return [
        with_times(lambda rank, look: 0.03),
        with_times(lambda rank, look: 0.02 if rank else 0.01),  # slower, but nobody waits long
        with_times(lambda rank, look: 0.08 if rank == 0 else 0.01, usual=lambda rank, look: 0.01),  # evaluates for all
        with_times(lambda rank, look: 0.08 if (rank, look.step) == (1, 16) else 0.01),  # once
        with_times(lambda rank, look: 5e-4 if rank else 1e-4, whole=1e-3),
    ]


def test_the_rank_is_named():
    assert [RULE.ask(each).message[:6] for each in sick()] == ["Rank 1", "Rank 0", "Rank 2"]


def test_a_few_steps_are_not_enough():
    assert isinstance(RULE.ask(with_times(lambda rank, look: 0.06 if rank else 0.01, steps=6)), CannotTell)
