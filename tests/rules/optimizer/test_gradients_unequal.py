from __future__ import annotations

import pytest

from tests.ranked import Plan, change_looks, train_ranks
from weaklink.base.finding import CannotTell, Level
from weaklink.judge.rules.optimizer.gradients_unequal import gradients_unequal

RULE = gradients_unequal.rule


def sick():
    return [
        train_ranks(Plan(reduced=False)),
        train_ranks(Plan(reduced=False, wrapped=False)),
        train_ranks(Plan(clipped=lambda rank: rank == 1)),
        train_ranks(Plan(reduced=False, world=4)),
        train_ranks(Plan(reduced=False, handed_on=True)),
    ]


def healthy():
    return [
        train_ranks(Plan()),
        train_ranks(Plan(world=4)),
        train_ranks(Plan(wrapped=False)),
        train_ranks(Plan(half=True)),
        train_ranks(Plan(rate=lambda rank: 1e-3 * (1 + rank))),  # gradients are equal, weights are not
        train_ranks(Plan(reduced=False, wrapped=False, seed=lambda rank: rank)),  # each trains for itself
        change_looks(train_ranks(Plan(reduced=False)), lambda rank, look: {"sharded": "FSDP"}),
        change_looks(train_ranks(Plan(reduced=False)), lambda rank, look: {"kind": "PostLocalSGDOptimizer"}),
        change_looks(train_ranks(Plan(reduced=False, wrapped=False)), lambda rank, look: {"group": 0}),
    ]


def test_the_kind_of_disagreement_is_named():
    apart, by_hand, clipped, four, handed_on = map(RULE.ask, sick())
    assert handed_on.message == apart.message
    assert "went past it" in apart.message
    assert (apart.level, by_hand.level) == (Level.ERROR, Level.WARN)
    assert "nothing averages them" in by_hand.message
    assert "clipped or scaled on this rank alone" in clipped.message
    assert clipped.message.startswith("Rank 1 and rank 0 make step 1 of Adam")
    assert four.onset == 1.0


@pytest.mark.parametrize("index", [5, 6, 7, 8])
def test_ranks_that_may_differ_are_not_compared(index):
    assert isinstance(RULE.ask(healthy()[index]), CannotTell)


def test_a_rank_that_alone_has_no_gradient_is_named():
    def drop(rank, look):
        return {"gradients": ("", *look.gradients[1:])} if rank == 1 else {}

    ranks = change_looks(train_ranks(Plan()), drop)
    shortened = change_looks(ranks, lambda rank, look: {"sketches": {} if rank == 1 else look.sketches})
    assert "rank 1 has no gradient there, and rank 0 has" in RULE.ask(shortened).message
