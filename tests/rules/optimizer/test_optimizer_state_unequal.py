from __future__ import annotations

from tests.ranked import Plan, change_looks, train_ranks
from weaklink.judge.rules.optimizer.optimizer_state_unequal import optimizer_state_unequal

RULE = optimizer_state_unequal.rule


def sick():
    return [
        train_ranks(Plan(loaded=lambda rank: rank == 0)),
        train_ranks(Plan(loaded=lambda rank: rank == 2, world=4)),
        change_looks(train_ranks(Plan(loaded=lambda rank: rank == 0)), lambda rank, look: {"counted": ()}),
    ]


def healthy():
    def shard(rank, look):
        return {"kind": "ZeroRedundancyOptimizer", "state": tuple(f"{rank}{each[1:]}" for each in look.state)}

    return [
        train_ranks(Plan()),
        train_ranks(Plan(loaded=lambda rank: True)),
        train_ranks(Plan(reduced=False)),  # follows from the gradients
        change_looks(train_ranks(Plan()), shard),
        change_looks(train_ranks(Plan(reduced=False)), lambda rank, look: {"gradients": ()}),  # nobody saw them
    ]


def test_counts_and_moments_both_tell():
    assert "rank 1 counts 1 steps and rank 0 51" in RULE.ask(sick()[0]).message
    assert RULE.ask(sick()[1]).message.startswith("Rank 2 and rank 0")
    assert "of their size apart" in RULE.ask(sick()[2]).message
