from __future__ import annotations

import numpy as np

from weaklink.base.evidence.ranks import RankLook, Ranks
from weaklink.judge.rules.writing import MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule

# the first steps load libraries and fill caches
WARM = 2

# stretches between looks, and steps in them together
FEWEST_STRETCHES, FEWEST_STEPS = 4, 16

# the share of the stretches in which it must be slow
STEADILY = 0.8

# seconds a step below which nobody waits for anybody
SHORTEST = 1e-3


@rule("SYS401", link=Link.SYSTEM, level=Level.WARN, on=Ranks, needs=("looks",), symptoms={"too slow": 3})
def slow_rank(ranks: Ranks, *, times: float = 2.0, share: float = 0.25) -> Answer:
    """One rank is steadily slower than the others, which wait for it.

    ## What it sees
    The time on each rank from the end of a step to its next backward pass: collecting, loading, the forward pass. Ranks
    that reduce gradients step at the same pace, but this time is each rank's own. That of one rank is over twice the
    others', and the difference is a quarter of the whole time, in nearly all stretches between looks. Of rank 0, which
    logs, saves and evaluates for all, the median step is taken instead of the mean.

    ## Why it is bad
    A training that waits at every step is as slow as its slowest rank; all others idle for the difference.

    ## What to do
    1. Look at what only this rank does: logging, saving, rendering, a simulator with harder levels.
    2. Look at its machine: a shared processor, a disk or network of its own, throttling.
    3. Give the ranks equal shares of work: the same number of environments, batches of equal length.

    ## How to prove it
    Exchange the ranks of two machines: the slowness stays with the rank where it is the program's, and with the
    machine where it is not.

    ## When it is wrong
    Roles that differ on purpose. On an accelerator, and in trainers that gather rewards before the backward pass, the
    wait for another rank falls into this time, which hides a slow rank but invents none.

    ## References
    PyTorch documentation, Distributed Data Parallel, notes on skewed processing speeds.
    """
    stretches = [
        each
        for each in ranks.compare()
        if len(each) > 1 and next(iter(each.values())).optimizer == 0 and next(iter(each.values())).step > WARM
    ]
    if len(stretches) < FEWEST_STRETCHES or sum(_count(each) for each in stretches) < FEWEST_STEPS:
        return CannotTell(("looks",), "too few steps were made")
    for record in ranks.records:
        seen = [each for each in stretches if record.rank in each]
        slow = [_measure(each, record.rank) for each in seen]
        flags = [ratio >= times and part >= share and extra >= SHORTEST for ratio, part, extra in slow]
        if len(seen) >= FEWEST_STRETCHES and np.mean(flags) >= STEADILY:
            return _report(record.rank, seen, slow, share)
    return None


def _count(looks: dict[int, RankLook]) -> int:
    return min(look.steps for look in looks.values())


def _measure(looks: dict[int, RankLook], rank: int) -> tuple[float, float, float]:
    """How many times as long as the others a rank takes for a step, the difference as a share of the time, and it."""
    own = _read_seconds(looks[rank], rank)
    others = float(np.median([_read_seconds(look, rank) for other, look in looks.items() if other != rank]))
    whole = looks[rank].seconds / max(looks[rank].steps, 1)
    return own / max(others, 1e-9), (own - others) / max(whole, 1e-9), own - others


def _read_seconds(look: RankLook, judged: int) -> float:
    return look.usual_away if judged == 0 else look.away / max(look.steps, 1)


def _report(
    rank: int, seen: list[dict[int, RankLook]], slow: list[tuple[float, float, float]], share: float
) -> Finding:
    ratio, part, extra = (float(np.median([each[place] for each in slow])) for place in range(3))
    first = seen[0][min(seen[0])].at
    return Finding(
        message=f"Rank {rank} takes {extra:.3g} s longer than the other ranks from one step to the next backward pass, "
        f"{part:.0%} of the whole time, and they wait for it.",
        onset=first,
        confidence=MEDIUM,
        evidence=(
            Evidence(metric="seconds that other ranks wait", value=extra, limit=SHORTEST, step=first),
            Evidence(metric="share of the time", value=part, limit=share, step=first),
            Evidence(metric="times as long", value=min(ratio, 1e6), step=first),
        ),
    )
