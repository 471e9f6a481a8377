from __future__ import annotations

from tests.ranked import Plan, change_looks, train_ranks
from weaklink.judge.rules.optimizer.weights_unequal import weights_unequal

RULE = weights_unequal.rule


def sick():
    return [
        train_ranks(Plan(rate=lambda rank: 3e-3 if rank else 1e-3)),
        train_ranks(Plan(seed=lambda rank: rank)),
        train_ranks(Plan(seed=lambda rank: rank, wrapped=False)),
        train_ranks(Plan(world=4, rate=lambda rank: 3e-3 if rank == 2 else 1e-3)),
    ]


def healthy():
    def round_differently(rank, look):
        """As a device of another kind does: the bits differ, the numbers by less than their last digit."""
        close = {part: tuple(each * (1.0 + 1e-8 * rank) for each in sketch) for part, sketch in look.sketches.items()}
        return {"weights": tuple(f"{rank}{each[1:]}" for each in look.weights), "sketches": close}

    return [
        train_ranks(Plan()),
        train_ranks(Plan(world=4)),
        train_ranks(Plan(half=True)),
        change_looks(train_ranks(Plan()), round_differently),
        change_looks(train_ranks(Plan(seed=lambda rank: rank)), lambda rank, look: {"sharded": "DTensor"}),
        change_looks(train_ranks(Plan(seed=lambda rank: rank)), lambda rank, look: {"replicas": 1}),
    ]


def test_what_sets_them_apart_is_named():
    rate, seed, by_hand, four = map(RULE.ask, sick())
    assert "learning rate 0.003 on rank 1 and 0.001 on rank 0" in rate.message
    assert "before the first step: they were made or loaded on each rank by itself" in seed.message
    assert "never broadcast" in by_hand.message
    assert four.message.startswith("Rank 2 and rank 0 hold unequal weights after step 1")


def test_the_distance_that_a_sketch_tells_is_that_of_the_weights():
    finding = RULE.ask(sick()[1])
    assert 0.5 < finding.evidence[0].value < 3.0  # two draws of the same size are 1.4 of it apart
