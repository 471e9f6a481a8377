from __future__ import annotations

import numpy as np

from weaklink.base.evidence.ranks import RankRecord, Ranks
from weaklink.base.evidence.series import Array, Series
from weaklink.base.stats import level
from weaklink.judge.rules.writing import MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule

EPISODES, COMPLETIONS = "reward.episode_return", "reward.of_rank"

# stretches of the run that are compared, and points of a curve that fill them
BLOCKS, FEWEST = 6, 12

# standard errors: of six differences chance gives so many once in five thousand times (Student's t, 5 degrees)
SURE = 10.0


@rule("REW401", link=Link.REWARD, level=Level.WARN, on=Ranks, needs=((EPISODES, COMPLETIONS),))
def rank_reward_apart(ranks: Ranks, *, gap: float = 0.5) -> Answer:
    """One rank's returns lie apart from those of all others.

    ## What it sees
    The returns that each rank's own environments gave, or the mean rewards of the completions that it sampled. Those of
    one rank differ from the others' in the same direction over the whole run, by half of their size at least and far
    beyond their noise.

    ## Why it is bad
    All ranks play the same policy in the same task, so their returns are draws from one distribution. A rank with other
    rewards pulls every update: its gradients are of another scale, and the mean over ranks is of no task at all.

    ## What to do
    1. Compare the wrappers of the environment on this rank with those on the others: scaling, clipping, normalisation.
    2. Share the statistics of a reward normaliser between ranks, or freeze them.
    3. Check that this rank plays with the current weights.

    ## How to prove it
    Play one fixed policy for some episodes on this rank and on another, with the same seeds.

    ## When it is wrong
    Ranks that play different tasks, levels of difficulty or exploration settings on purpose. Where tasks are not known
    to be the same, it is only information.

    ## References
    Horgan et al., Distributed Prioritized Experience Replay, ICLR 2018 (actors that differ on purpose).
    """
    held = {metric: _list_ranks(ranks, metric) for metric in (EPISODES, COMPLETIONS)}
    metric = max(held, key=lambda name: len(held[name]))
    if len(held[metric]) < 2:
        return CannotTell((EPISODES,), "fewer than two ranks have enough episodes")
    tasks = {each.task for each in held[metric].values()}
    if len(tasks) > 1:
        return CannotTell((metric,), "the ranks play different tasks")
    blocks = {rank: _average_blocks(each.series[metric]) for rank, each in held[metric].items()}
    worst: tuple[float, int, float] = (0.0, 0, 0.0)
    for rank in sorted(blocks, reverse=True):
        means, spreads = np.median([each for other, each in blocks.items() if other != rank], axis=0)
        apart = _measure_gap(blocks[rank][0], means, spreads)
        if apart > worst[0]:
            worst = (apart, rank, level(means))
    if worst[0] < gap:
        return None
    # prompts are handed out to the ranks from one set of data
    return _report(held[metric][worst[1]].series[metric], worst, gap, known=metric == COMPLETIONS or tasks != {""})


def _list_ranks(ranks: Ranks, metric: str) -> dict[int, RankRecord]:
    return {each.rank: each for each in ranks.records if len(each.series.get(metric, ())) >= FEWEST}


def _average_blocks(series: Series) -> Array:
    """The means and the spreads of stretches of the run."""
    parts = np.array_split(series.values, BLOCKS)
    return np.array([[float(np.mean(part)) for part in parts], [float(np.std(part)) for part in parts]])


def _measure_gap(own: Array, others: Array, spreads: Array) -> float:
    """How far one rank is from the others as a share of their size, 0 where that may be chance."""
    apart = (own - others) / np.maximum(np.maximum(np.abs(others), spreads), 1e-12)
    error = float(np.std(apart, ddof=1)) / np.sqrt(len(apart))
    sure = abs(float(apart.mean())) > SURE * error and abs(float(np.sum(np.sign(apart)))) == len(apart)
    return abs(float(apart.mean())) if sure else 0.0


def _report(series: Series, worst: tuple[float, int, float], gap: float, *, known: bool) -> Finding:
    share, rank, others = worst
    own = level(series.values)
    name = "returns" if series.name == EPISODES else "rewards"
    return Finding(
        message=f"The {name} of rank {rank} lie at {own:.4g} throughout, those of the other ranks at {others:.4g}.",
        level=Level.WARN if known else Level.INFO,
        onset=series.first_step,
        onset_within=series.interval,
        confidence=MEDIUM,
        evidence=(
            Evidence(metric=series.name, value=own, step=series.first_step),
            Evidence(metric="gap between ranks", value=share, limit=gap, step=series.first_step),
        ),
    )
