from __future__ import annotations

import numpy as np

from weaklink.base.evidence.ranks import Ranks
from weaklink.base.stats import level
from weaklink.judge.rules.writing import MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule

METRIC = "data.staleness"

# points of a curve: half of them must be a level
FEWEST = 8


@rule("DAT402", link=Link.DATA, level=Level.WARN, on=Ranks, needs=(METRIC,))
def stale_rank(ranks: Ranks, *, times: float = 3.0, above: float = 2.0) -> Answer:
    """One rank collects with much older weights than the others.

    ## What it sees
    The staleness that each rank logged (updates between collecting a sample and learning from it): the level of one
    rank lies above three times that of the others, and two updates above it at least.

    ## Why it is bad
    A share of the batch, the same one each time, comes from a policy that is no longer trained. Ratios of that rank are
    clipped, its samples teach little or the wrong thing, and the mean over all ranks hides it.

    ## What to do
    1. Check that this rank's actor is given the weights after every update: it may have missed the group, or hold a
       copy of its own.
    2. Check that its queue is not longer than the others', and that it is not slower (SYS401).
    3. Drop or weight samples that are older than a few updates.

    ## How to prove it
    Log the version of the weights beside each rollout of this rank, and compare it with the learner's at the update.

    ## When it is wrong
    Actors of different speed on purpose, with a correction for it (V-trace) that was measured to hold.

    ## References
    Espeholt et al., IMPALA, ICML 2018.
    """
    levels = {
        record.rank: level(record.series[METRIC].values[len(record.series[METRIC]) // 2 :])
        for record in ranks.records
        if METRIC in record.series and len(record.series[METRIC]) >= FEWEST
    }
    if len(levels) < 2:
        return CannotTell((METRIC,), "fewer than two ranks logged it often enough")
    rank, highest = max(levels.items(), key=lambda item: item[1])
    others = float(np.median([each for other, each in levels.items() if other != rank]))
    limit = max(times * others, others + above)
    if highest <= limit:
        return None
    series = next(record.series[METRIC] for record in ranks.records if record.rank == rank)
    beyond = series.steps[series.values > limit]
    step = float(beyond[0]) if len(beyond) else series.first_step
    return Finding(
        message=f"Rank {rank} collects with weights that are {highest:.3g} updates old, the other ranks with those of "
        f"{others:.3g} updates.",
        onset=step,
        onset_within=series.interval,
        confidence=MEDIUM,
        evidence=(Evidence(metric=METRIC, value=highest, limit=limit, step=step),),
    )
