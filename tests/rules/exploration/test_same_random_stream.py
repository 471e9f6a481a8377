from __future__ import annotations

import random
from collections.abc import Callable

import msgspec
import numpy as np
import pytest

from tests.ranked import Plan, change_looks, train_ranks, with_curves
from weaklink.base.evidence.ranks import Ranks
from weaklink.judge.rules.exploration.same_random_stream import EPISODES, GROUPS, same_random_stream

RULE = same_random_stream.rule


def with_streams(seed: Callable[[int, str], int], drawn: tuple[str, ...], *, collected: str = EPISODES) -> Ranks:
    """Ranks whose real generators are seeded by rank and drawn from at every step."""
    torch = pytest.importorskip("torch")
    from weaklink.adapters.torch.fingerprints import digest_streams
    from weaklink.adapters.torch.generators import keep_draws

    def digest(rank, look):
        with keep_draws():
            random.seed(seed(rank, "random"))
            np.random.seed(seed(rank, "numpy"))  # noqa: NPY002
            torch.manual_seed(seed(rank, "torch"))
            for step in range(look.step):
                if "torch" in drawn or ("seldom" in drawn and step % 4 == 0):
                    torch.rand(1)
                if "numpy" in drawn:
                    np.random.rand()  # noqa: NPY002
            return {"streams": digest_streams()}

    ranks = change_looks(train_ranks(Plan(steps=8)), digest)
    if not collected:
        return ranks
    curves = with_curves(collected, [np.arange(20)] * 2)
    both = zip(ranks.records, curves.records, strict=True)
    records = [msgspec.structs.replace(one, series=two.series) for one, two in both]
    return Ranks(world=ranks.world, records=tuple(records))


def sick():
    return [
        with_streams(lambda rank, name: 5, ("torch",)),
        with_streams(lambda rank, name: 5, ("torch", "numpy")),
        with_streams(lambda rank, name: 5 + rank * (name == "random"), ("torch",)),  # nobody draws from that one
        with_streams(lambda rank, name: 5, ("torch",), collected=GROUPS),  # completions of a language model
        with_streams(lambda rank, name: 5 + rank * (name == "numpy"), ("torch", "numpy"), collected=GROUPS),
    ]


def healthy():
    return [
        with_streams(lambda rank, name: 5 + rank, ("torch",)),
        with_streams(lambda rank, name: 5 + rank * (name == "numpy"), ("torch", "numpy")),  # actions by NumPy
        with_streams(lambda rank, name: 5, ()),  # generators of their own
        with_streams(lambda rank, name: 5, ("torch",), collected=""),  # dropout of a supervised training
        with_streams(lambda rank, name: 5 + rank, ("torch",), collected=GROUPS),
        with_streams(lambda rank, name: 5, ("seldom",), collected=GROUPS),  # a server samples, torch shuffles
        with_streams(lambda rank, name: 5, ("numpy",), collected=GROUPS),
    ]


def test_the_generator_is_named():
    assert "torch cpu is in the same state on both at all 6 looks" in RULE.ask(sick()[0]).message
    assert "numpy, torch cpu are" in RULE.ask(sick()[1]).message
