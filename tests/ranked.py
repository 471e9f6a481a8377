"""Ranks of a training as evidence: copies of a network trained side by side in one process, looked at by the real
hooks, as processes would look at themselves."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, partial
from typing import Any

import msgspec
import numpy as np
import pytest

from weaklink.base.evidence.ranks import LOOK, RankLook, RankPlace, RankRecord, Ranks
from weaklink.base.evidence.series import Series

ROWS = 16


class Plan(msgspec.Struct, frozen=True):
    """How the copies are trained: each function is asked for a rank."""

    world: int = 2
    steps: int = 16
    wrapped: bool = True
    seed: Callable[[int], int] = lambda rank: 0
    rate: Callable[[int], float] = lambda rank: 1e-3
    data: Callable[[int], int] = lambda rank: rank
    reduced: bool = True
    clipped: Callable[[int], bool] = lambda rank: False
    loaded: Callable[[int], bool] = lambda rank: False
    half: bool = False
    handed_on: bool = False


class LookKeeper:
    """Takes looks as a watcher does."""

    def __init__(self) -> None:
        self.looks: list[RankLook] = []

    def record(self, kind: str, content: Any) -> None:
        assert kind == LOOK
        self.looks.append(msgspec.convert(msgspec.json.decode(msgspec.json.encode(content)), RankLook))

    def attempt(self, part: str, work: Callable[[], Any]) -> Any:
        return work()

    def measures(self, update: int | None = None) -> bool:
        return True


@lru_cache(maxsize=32)
def train_ranks(plan: Plan) -> Ranks:
    """Trains the copies with one optimizer each, whose looks stand for those of a rank; each plan once."""
    torch = pytest.importorskip("torch")
    from weaklink.adapters.torch.rank_looks import RankLooks

    keeper, looks = LookKeeper(), RankLooks()
    looks.record_into(keeper, float)
    try:
        copies = [_make_copy(torch, plan, rank) for rank in range(plan.world)]
        for step in range(plan.steps):
            _make_step(torch, plan, copies, step)
    finally:
        looks.close()
    return _as_ranks(plan, keeper.looks)


def _make_copy(torch: Any, plan: Plan, rank: int) -> tuple[Any, Any]:
    with torch.random.fork_rng():
        torch.manual_seed(plan.seed(rank))
        network = torch.nn.Sequential(torch.nn.Linear(5, 8), torch.nn.Tanh(), torch.nn.Linear(8, 1))
    network = network.bfloat16() if plan.half else network
    optimizer = torch.optim.Adam(network.parameters(), lr=plan.rate(rank))
    if plan.loaded(rank):
        for parameter in network.parameters():
            moments = {"exp_avg": torch.ones_like(parameter), "exp_avg_sq": torch.ones_like(parameter)}
            optimizer.state[parameter] = {"step": torch.tensor(50.0), **moments}
    return network, optimizer


def _make_step(torch: Any, plan: Plan, copies: list[tuple[Any, Any]], step: int) -> None:
    for rank, (network, optimizer) in enumerate(copies):
        draws = torch.Generator().manual_seed(1000 * step + plan.data(rank))
        seen = torch.randn(ROWS, 5, generator=draws).to(next(network.parameters()).dtype)
        optimizer.zero_grad()
        network(seen).square().mean().backward()
    gradients = [[each.grad.clone() for each in network.parameters()] for network, _ in copies]
    for rank, (network, optimizer) in enumerate(copies):
        for place, parameter in enumerate(network.parameters()):
            if plan.reduced:
                parameter.grad = sum(each[place] for each in gradients) / plan.world
        if plan.clipped(rank):
            torch.nn.utils.clip_grad_norm_(network.parameters(), 1e-3)
        optimizer.step(*([None] if plan.handed_on else []))  # as Accelerate hands on a closure that is none


def _as_ranks(plan: Plan, looks: list[RankLook]) -> Ranks:
    records = []
    for rank in range(plan.world):
        own = [each for each in looks if each.optimizer == rank]
        named = [
            msgspec.structs.replace(
                each, optimizer=0, at=float(each.step), group=plan.world, replicas=plan.world * plan.wrapped, rows=()
            )
            for each in own
        ]
        place = RankPlace(rank=rank, world=plan.world, launch="here")
        records.append(RankRecord(place=place, looks={each.key: each for each in named}))
    return Ranks(world=plan.world, records=tuple(records))


def change_looks(ranks: Ranks, change: Callable[[int, RankLook], dict[str, Any]]) -> Ranks:
    """The same ranks with fields of their looks changed."""
    records = [
        RankRecord(
            place=record.place,
            looks={
                key: msgspec.structs.replace(look, **change(record.rank, look)) for key, look in record.looks.items()
            },
            series=record.series,
            task=record.task,
        )
        for record in ranks.records
    ]
    return Ranks(world=ranks.world, records=tuple(records))


def digest_batch(rank: int, look: RankLook, draw: Callable[[int, int], Any]) -> dict[str, Any]:
    """The rows of a look as the adapter takes them of a batch that is drawn for a rank and a step."""
    torch = pytest.importorskip("torch")
    from weaklink.adapters.torch.fingerprints import digest_rows

    found = digest_rows((torch.as_tensor(draw(rank, look.step)),))
    return {"rows": tuple(f"{each & 0xFFFFFFFFFFFFFFFF:016x}" for each in found.tolist())}


def with_batches(draw: Callable[[int, int], Any], **plan: Any) -> Ranks:
    """Healthy ranks that are given these batches."""
    return change_looks(train_ranks(Plan(**plan)), partial(_swap, draw))


def _swap(draw: Callable[[int, int], Any], rank: int, look: RankLook) -> dict[str, Any]:
    return digest_batch(rank, look, draw)


def with_curves(metric: str, curves: list[Any], tasks: tuple[str, ...] = ("CartPole-v1",)) -> Ranks:
    """Ranks that logged these curves."""
    records = [
        RankRecord(
            place=RankPlace(rank=rank, world=len(curves)),
            series={metric: Series.of(metric, 100.0 * np.arange(1, len(values) + 1), np.asarray(values, dtype=float))},
            task=tasks[rank % len(tasks)],
        )
        for rank, values in enumerate(curves)
    ]
    return Ranks(world=len(curves), records=tuple(records))
