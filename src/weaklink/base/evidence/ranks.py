"""The ranks of one training: what each of them wrote down of its weights, gradients, data and time, side by side.

No rank talks to another for this. Each looks at its own optimizers at the same steps and writes fingerprints into its
own recording; whoever reads the recordings compares them.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from weaklink.base.evidence.series import Array, Series
from weaklink.base.patterns import compile_late

LOOK = "rank_look"
"""The kind of line of a recording that holds a look."""

MOST_LOOKS = 4096
"""Looks of one rank that are kept: they are spaced by powers of two, and a recording has some dozens of each
optimizer."""

LATEST_START = 600.0
"""Seconds between the first and the last rank of one launch to begin: a slow network disk takes minutes to import."""

_FOLDER = compile_late(r"rank-(\d{1,6})")


def name_rank_folder(rank: int) -> str:
    """The folder of a rank below that of the recording; rank 0 writes into the recording itself."""
    return f"rank-{rank}"


def is_rank_folder(path: Path) -> bool:
    """Whether a folder is named as that of a rank."""
    return _FOLDER.fullmatch(path.name) is not None


class RankPlace(msgspec.Struct, frozen=True, kw_only=True):
    """Which rank of how many a process is; `launch` tells the processes of one start from those of another.

    `collects` is false for a process that learns from what others collect: its curves are theirs taken together.
    """

    rank: int = 0
    world: int = 1
    local: int = 0
    launch: str = ""
    collects: bool = True

    @property
    def leads(self) -> bool:
        """Whether this is the rank that speaks for all."""
        return self.rank == 0

    @property
    def shares(self) -> bool:
        """Whether there are other ranks."""
        return self.world > 1


class RankLook(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One step of one optimizer as one rank saw it. Digests are by parameter, in the optimizer's own order.

    `optimizer` is its place in the order of first steps, `step` its own count, `at` where the training stood. `before`,
    `gradients`, `weights` and `state` are digests of a fixed sample of bits: the weights before the step, the gradients
    that it takes, the weights and the optimizer's state after it; an empty one is of nothing. `counted` are the fewest
    and the most steps that the state counts. `sketches` are projections by the same names: the distance of two is about
    that of the tensors. `shapes` is a digest of the parameters' shapes and types, `names` stand in the first look of an
    optimizer alone.

    `sharded` says why this process holds only a part, `group` how many processes its process group has (0: none was
    made), `replicas` those of DistributedDataParallel around the parameters (0: there is none), `reduces` whether that
    reduces gradients at the moment. `rows` are digests of the rows that the network was given, `streams` those of
    random states. Of the last steps since the look before, `steps` is their number, `seconds` the time that passed,
    `away` the part of it from the end of a step to the next backward pass, and `usual_away` its median.
    """

    optimizer: int
    step: int
    at: float = 0.0
    kind: str = ""
    shapes: str = ""
    names: tuple[str, ...] = ()
    sharded: str = ""
    group: int = 0
    replicas: int = 0
    reduces: bool = True
    before: tuple[str, ...] = ()
    gradients: tuple[str, ...] = ()
    weights: tuple[str, ...] = ()
    state: tuple[str, ...] = ()
    counted: tuple[float, ...] = ()
    sketches: dict[str, tuple[float, ...]] = {}
    precision: float = 0.0
    settings: dict[str, float] = {}
    rows: tuple[str, ...] = ()
    streams: dict[str, str] = {}
    steps: int = 0
    seconds: float = 0.0
    away: float = 0.0
    usual_away: float = 0.0

    @property
    def key(self) -> tuple[int, int]:
        """What it is compared with on other ranks: the same step of the same optimizer."""
        return self.optimizer, self.step

    def get_sketch(self, part: str) -> Array | None:
        """The projection of a part, None where there is none or a number in it is not finite."""
        found = np.asarray(self.sketches.get(part, ()), dtype=np.float64)
        return found if found.size and bool(np.isfinite(found).all()) else None


def parse_look(line: Mapping[str, Any]) -> RankLook | None:
    """The look in a line of a recording, None where there is none or it is damaged."""
    content = line.get(LOOK)
    if not isinstance(content, dict):
        return None
    try:
        return msgspec.convert(content, RankLook)
    except (msgspec.ValidationError, ValueError, RecursionError):
        return None


def read_place(context: Mapping[str, Any]) -> RankPlace | None:
    """The place that a recording's context tells, None for a recording of one process."""
    try:
        found = msgspec.convert(context.get("rank"), RankPlace)
    except msgspec.ValidationError:
        return None
    return found if found.shares and 0 <= found.rank < found.world else None


class RankRecord(msgspec.Struct, frozen=True, eq=False):
    """What one rank wrote down: where it stands, its looks by optimizer and step, and its own curves."""

    place: RankPlace
    looks: Mapping[tuple[int, int], RankLook] = {}
    series: Mapping[str, Series] = {}
    task: str = ""
    started: float = 0.0

    @property
    def rank(self) -> int:
        """Its number."""
        return self.place.rank


class Ranks(msgspec.Struct, frozen=True, eq=False, dict=True):
    """The ranks of one training that left a recording, the lowest first."""

    world: int
    records: tuple[RankRecord, ...] = ()

    def __contains__(self, name: object) -> bool:
        """Whether there is something to compare: `looks` at the same step on two ranks, or a metric on two."""
        if name == "looks":
            return bool(self.shared)
        return sum(name in record.series for record in self.records) > 1

    @property
    def missing(self) -> tuple[int, ...]:
        """The ranks that left nothing."""
        there = {record.rank for record in self.records}
        return tuple(rank for rank in range(self.world) if rank not in there)

    @cached_property
    def shared(self) -> tuple[tuple[int, int], ...]:
        """The optimizers and steps that two ranks at least looked at, in the order of steps."""
        counts: dict[tuple[int, int], int] = {}
        for record in self.records:
            for key in record.looks:
                counts[key] = counts.get(key, 0) + 1
        return tuple(sorted((key for key, count in counts.items() if count > 1), key=lambda key: (key[1], key[0])))

    def compare(self) -> Iterator[dict[int, RankLook]]:
        """Looks at the same step of the same optimizer, by rank, from the first step on."""
        for key in self.shared:
            yield {record.rank: record.looks[key] for record in self.records if key in record.looks}

    def get_names(self, optimizer: int) -> tuple[str, ...]:
        """The names of an optimizer's parameters, as the first rank that knows them says."""
        looks = (look for record in self.records for key, look in record.looks.items() if key[0] == optimizer)
        return next((look.names for look in looks if look.names), ())


def join_ranks(records: Sequence[RankRecord]) -> Ranks | None:
    """The ranks of one launch, as the first record tells it; None where that is of one process.

    Records of another launch lie in the same folder where a training was begun again with other ranks.
    """
    first = records[0]
    if not first.place.shares:
        return None
    same = [each for each in records[1:] if _is_of_launch(each, first)]
    ordered = sorted([first, *same], key=lambda each: each.rank)
    return Ranks(world=first.place.world, records=tuple(ordered))


def _is_of_launch(record: RankRecord, first: RankRecord) -> bool:
    there, here = record.place, first.place
    known = record.started and first.started
    close = not known or math.fabs(record.started - first.started) <= LATEST_START
    return close and (there.launch, there.world) == (here.launch, here.world) and there.rank != here.rank
