from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from weaklink.base.evidence.ranks import RankLook, Ranks
from weaklink.judge.rules._ranks import find_replicas, list_pairs
from weaklink.judge.rules.writing import HIGH, Answer, CannotTell, Evidence, Finding, Level, Link, rule

# looks at which both ranks were given rows: two alike can be chance, three in a row hardly
FEWEST_LOOKS = 3

# the share of the looks at which rows must be shared, for a sampler that begins anew or pads now and then
STEADILY = 0.8

# the share of a batch that must be unlike the rest of it, and unlike the batch before: rows that stand for themselves
TELLING = 0.5


@rule("DAT401", link=Link.DATA, level=Level.WARN, on=Ranks, needs=("looks",))
def data_repeated_on_ranks(ranks: Ranks, *, shared: float = 0.5) -> Answer:
    """Ranks of one training learn from the same rows.

    ## What it sees
    Fingerprints of the rows that each rank's network was given before the same step. At nearly every look at least half
    of one rank's rows are another rank's too, while rows within a batch and from look to look differ.

    ## Why it is bad
    Ranks that learn from the same data do the same work twice: the gradient has the noise of one rank's batch, the
    learning rate was chosen for all of them, and an epoch passes over the data as often as there are ranks.

    ## What to do
    1. Give the loader a `DistributedSampler`, and call its `set_epoch` at each epoch.
    2. Seed environments, and the draws of actions, by rank: `seed + rank`.
    3. Where each rank reads files or prompts by itself, let it take its own share: `items[rank::world_size]`.

    ## How to prove it
    Print the first row of the batch on every rank at the same step.

    ## When it is wrong
    Ranks that share a model by tensor or pipeline parallelism are given the same rows on purpose; they are not compared
    where that is known. Data of a few distinct rows cannot be told apart and are not judged.

    ## References
    PyTorch documentation, `torch.utils.data.distributed.DistributedSampler`.
    """
    replicas = find_replicas(ranks)
    if isinstance(replicas, CannotTell):
        return replicas
    looks = [one.looks for one in replicas]
    judged = 0
    for left, right in list_pairs(ranks):
        pairs = [(each[left], each[right]) for each in looks if left in each and right in each]
        pairs = [(one, other) for one, other in pairs if _is_telling(one.rows) and _is_telling(other.rows)]
        if len(pairs) < FEWEST_LOOKS or _stays([one.rows for one, _ in pairs]):
            continue
        judged += 1
        shares = np.array([_measure_overlap(one.rows, other.rows) for one, other in pairs])
        if np.mean(shares >= shared) >= STEADILY:
            return _report(left, right, pairs, shares, shared)
    return None if judged else CannotTell(("looks",), "too few rows were seen that can be told apart")


def _is_telling(rows: Sequence[str]) -> bool:
    """Whether the rows of a batch stand for themselves."""
    return bool(rows) and len(set(rows)) >= TELLING * len(rows)


def _stays(batches: Sequence[Sequence[str]]) -> bool:
    """Whether a network is given much the same rows each time, as places in a text are."""
    overlaps = [_measure_overlap(one, other) for one, other in pairwise(batches)]
    return float(np.median(overlaps)) > TELLING


def _measure_overlap(left: Sequence[str], right: Sequence[str]) -> float:
    return (Counter(left) & Counter(right)).total() / max(min(len(left), len(right)), 1)


def _report(
    left: int, right: int, pairs: Sequence[tuple[RankLook, RankLook]], shares: np.ndarray, shared: float
) -> Finding:
    first = int(np.argmax(shares >= shared))
    alike = int(np.sum(shares >= shared))
    at, mean = pairs[first][0].at, float(shares.mean())
    return Finding(
        message=f"Ranks {left} and {right} are given the same rows: {mean:.0%} of them on average, at {alike} of "
        f"{len(shares)} looks.",
        onset=at,
        confidence=HIGH,
        evidence=(Evidence(metric="rows shared between ranks", value=mean, limit=shared, step=at),),
    )
