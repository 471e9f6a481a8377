"""What the rules on ranks share: which looks may be compared at all, and how far two of them are apart."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from weaklink.base.evidence.ranks import RankLook, Ranks
from weaklink.base.finding import CannotTell

LOCAL_STEPS = ("localsgd", "diloco", "federated")
"""In the name of an optimizer: each rank steps alone for a while, on purpose."""

ROUNDING = 4.0
"""How many units of the last digit a step may set weights apart: devices of two kinds round differently. Over many
steps such errors add up like a random walk."""

GRADIENT_ROUNDING = 1e-4
"""The share by which gradients may differ that were reduced and then scaled by each rank for itself."""

HALF_ROUNDING = 1e-2
"""The same where numbers have 8 or 11 bits."""

COARSE = 1e-4
"""The spacing of numbers from which on they have half precision; that of single precision is 1.2e-7."""

MOST_NAMED = 3


@dataclass(frozen=True)
class Replicas:
    """The looks at one step of one optimizer on ranks that ought to hold the same, by rank, and where they stand."""

    looks: Mapping[int, RankLook]
    wrapped: bool

    @property
    def at(self) -> float:
        """Where the training stood, as the lowest rank counts."""
        return self.looks[min(self.looks)].at

    @property
    def step(self) -> int:
        """The optimizer's own count."""
        return self.looks[min(self.looks)].step

    @property
    def alike(self) -> bool:
        """Whether the optimizers hold parameters of the same shapes."""
        return len({look.shapes for look in self.looks.values()}) == 1

    def find_odd(self, part: str) -> tuple[int, ...]:
        """The ranks whose digests of a part are not those of the most ranks; of two, the higher one."""
        digests = {rank: getattr(look, part) for rank, look in self.looks.items() if getattr(look, part)}
        if len(set(digests.values())) < 2:
            return ()
        counts = {each: list(digests.values()).count(each) for each in digests.values()}
        usual = max(counts, key=lambda each: (counts[each], each == digests[min(digests)]))
        return tuple(rank for rank, each in digests.items() if each != usual)

    def find_usual(self, odd: Sequence[int]) -> int:
        """The lowest rank that agrees with the most."""
        return min(rank for rank in self.looks if rank not in odd)

    def measure_distance(self, part: str, odd: int, usual: int) -> float:
        """How far apart two ranks are in a part, as a share of its size; infinity where that cannot be told."""
        one, other = self.looks[odd].get_sketch(part), self.looks[usual].get_sketch(part)
        if one is None or other is None or one.shape != other.shape:
            return float("inf")
        return float(np.linalg.norm(one - other)) / max(float(np.linalg.norm(other)), 1e-30)

    def measure_similarity(self, part: str, odd: int, usual: int) -> float:
        """The cosine between two ranks' parts."""
        one, other = self.looks[odd].get_sketch(part), self.looks[usual].get_sketch(part)
        if one is None or other is None or one.shape != other.shape:
            return 0.0
        return float(one @ other) / max(float(np.linalg.norm(one) * np.linalg.norm(other)), 1e-30)

    def allow_for_rounding(self, part: str) -> float:
        """The share by which a part may be apart by rounding alone."""
        precision = max(look.precision for look in self.looks.values())
        if part == "gradients":
            return HALF_ROUNDING if precision > COARSE else GRADIENT_ROUNDING
        return ROUNDING * precision * float(np.sqrt(self.step))

    def name_parameters(self, part: str, odd: int, usual: int, names: Sequence[str]) -> str:
        """The parameters in which two ranks differ, where those are not all."""
        one, other = getattr(self.looks[odd], part), getattr(self.looks[usual], part)
        if len(one) != len(other) or len(names) != len(one):
            return ""
        differing = [name for name, left, right in zip(names, one, other, strict=True) if left != right]
        if not differing or len(differing) == sum(map(bool, other)):
            return ""
        more = f" and {len(differing) - MOST_NAMED} more" if len(differing) > MOST_NAMED else ""
        return " in " + ", ".join(map(shorten_name, differing[:MOST_NAMED])) + more


def shorten_name(name: str) -> str:
    """A parameter's name without the wrapper around its module."""
    return name.removeprefix("DistributedDataParallel.module.")


def find_replicas(ranks: Ranks) -> list[Replicas] | CannotTell:
    """The looks that may be compared: of ranks that ought to hold the same weights.

    They ought to where DistributedDataParallel holds them on all ranks, where their gradients are equal, or where their
    weights were equal before the first step of a training with a process group. Parts of a model (FSDP, ZeRO, tensor
    parallelism) and ranks that step alone on purpose are not compared.
    """
    found: list[Replicas] = []
    why = "no two ranks looked at the same step"
    for optimizer in sorted({key[0] for key in ranks.shared}):
        looks = [each for each in ranks.compare() if next(iter(each.values())).optimizer == optimizer]
        reason = _refuse(looks, ranks.world)
        if reason:
            why = reason
            continue
        wrapped = all(one.replicas == ranks.world for each in looks for one in each.values())
        if wrapped or _were_equal(looks):
            found.extend(Replicas(each, wrapped) for each in looks)
        else:
            why = "the ranks never held the same weights or gradients, so that each may train for itself"
    return found or CannotTell(("looks",), why)


def _refuse(looks: Sequence[Mapping[int, RankLook]], world: int) -> str:
    """Why ranks may differ; empty where nothing speaks for it."""
    every = [one for each in looks for one in each.values()]
    sharded = next((one.sharded for one in every if one.sharded), "")
    if sharded:
        return f"each rank holds only a part of the weights ({sharded})"
    if any(one.group < 2 for one in every):
        return "no process group was made"
    if any(word in one.kind.lower().replace("_", "") for one in every for word in LOCAL_STEPS):
        return "each rank steps alone for a while, on purpose"
    if any(0 < one.replicas < world for one in every):
        return "the model is replicated over a part of the ranks"
    shapes = {one.shapes for one in every}
    wrapped = all(one.replicas == world for one in every)
    return "the ranks hold parameters of other shapes" if len(shapes) > 1 and not wrapped else ""


def _were_equal(looks: Sequence[Mapping[int, RankLook]]) -> bool:
    """Whether weights were equal before a first step, or gradients at any: nothing else makes them so."""
    first = list(looks[0].values())
    if first[0].step == 1 and first[0].before and len({one.before for one in first}) == 1:
        return True
    return any(len({one.gradients for one in each.values()}) == 1 and _has_gradient(each) for each in looks)


def _has_gradient(looks: Mapping[int, RankLook]) -> bool:
    """Whether a gradient is there that is not 0 throughout, which would be equal by itself."""
    sketch = next(iter(looks.values())).get_sketch("gradients")
    return sketch is not None and bool(np.abs(sketch).max() > 0.0)


def say_ranks(ranks: Sequence[int]) -> str:
    """Ranks as a sentence begins with them."""
    named = ", ".join(map(str, ranks[:8])) + (", ..." if len(ranks) > 8 else "")
    return f"Rank {named}" if len(ranks) == 1 else f"Ranks {named}"


def list_pairs(ranks: Ranks) -> Iterator[tuple[int, int]]:
    """Every two neighbours among the ranks, and the last with the first."""
    order = [record.rank for record in ranks.records]
    yield from pairwise(order)
    if len(order) > 2:
        yield order[0], order[-1]
