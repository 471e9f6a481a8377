from __future__ import annotations

import numpy as np

from weaklink.base.evidence.fleet import Fleet, PeerRun, RunGroup
from weaklink.base.stats import Interval, level, stratified_interval
from weaklink.judge.rules.writing import HIGH, MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule


@rule("EVA301", link=Link.EVALUATION, level=Level.INFO, on=Fleet)
def single_seed(fleet: Fleet, *, disagree: float = 0.5, beyond: float = 3.0) -> Answer:
    """A result relies on one seed, or on seeds that disagree.

    ## What it sees
    Among runs of one algorithm in one environment with the same hyper-parameters: there is only one seed; or there are
    several, and their final returns differ by more than half of what the best of them learned and three times their
    noise. Then the interquartile mean is given with its bootstrap interval.

    ## Why it is bad
    Runs of the same code with different seeds can differ by more than two algorithms do. One seed shows what happened
    once; the best of several shows even less.

    ## What to do
    1. Run at least five seeds, fixed before the first result is seen, and report all of them.
    2. Compare interquartile means with bootstrap intervals instead of best runs.
    3. Where seeds disagree, look at the first step at which good and bad ones differ: it often shows the cause.

    ## How to prove it
    Repeat with four more seeds and nothing else changed: the new results must lie within the reported interval.

    ## When it is wrong
    During development, one seed is enough to find a bug. Runs that differ in something that no configuration states are
    not replicates of each other. An evaluation over many items of a benchmark relies on these and is not judged here.

    ## References
    Agarwal et al., Deep Reinforcement Learning at the Edge of the Statistical Precipice, 2021; Henderson et al., Deep
    Reinforcement Learning that Matters, 2018.
    """
    if not fleet.groups:
        return CannotTell(("environment",), "it is not known which runs belong together")
    replicates = [(group, peers) for group in fleet.groups for peers in group.replicates()]
    known = [(group, peers) for group, peers in replicates if len(peers) == 1 or all(peer.seed for peer in peers)]
    alone = [(group, peers[0]) for group, peers in known if _is_alone(peers)]
    several = [(group, _select_comparable(peers)) for group, peers in known if not _is_alone(peers)]
    apart = [(group, peers) for group, peers in several if _do_disagree(peers, disagree, beyond)]
    if apart:
        return _describe_disagreement(apart)
    if alone:
        return _describe_single_seed(alone)
    return CannotTell(("seed",), "the seeds of the runs are not known") if len(known) < len(replicates) else None


def _is_alone(peers: tuple[PeerRun, ...]) -> bool:
    """Whether the runs have one seed; an evaluation over many items relies on these instead."""
    return len({peer.seed for peer in peers}) == 1 and not peers[0].items


def _select_comparable(peers: tuple[PeerRun, ...]) -> list[PeerRun]:
    """The runs with a final level of the same metric after about the same number of steps."""
    metrics = [peer.metric for peer in peers if peer.final is not None]
    if not metrics:
        return []
    metric = max(set(metrics), key=lambda name: (metrics.count(name), name))
    usual = level([peer.steps for peer in peers])
    return [
        peer
        for peer in peers
        if peer.metric == metric and peer.final is not None and abs(peer.steps - usual) <= 0.2 * usual
    ]


def _do_disagree(peers: list[PeerRun], disagree: float, beyond: float) -> bool:
    if len({peer.seed for peer in peers}) < 2:
        return False
    finals = _list_finals(peers)
    gains = [peer.final - peer.start for peer in peers if peer.final is not None and peer.start is not None]
    if not gains:
        return False  # without a gain there is no scale for a difference
    learnt = max(*gains, 0.0)
    scatter = level([peer.noise for peer in peers])
    limit = max(disagree * max(learnt, 0.1 * float(np.abs(finals).max())), beyond * scatter, 1e-9)
    return float(finals.max() - finals.min()) > limit


def _list_finals(peers: list[PeerRun]) -> np.ndarray:
    return np.array([peer.final for peer in peers if peer.final is not None], dtype=np.float64)


def _describe_disagreement(found: list[tuple[RunGroup, list[PeerRun]]]) -> Finding:
    intervals = [stratified_interval([_list_finals(peers)], np.random.default_rng(0)) for _, peers in found]
    group, peers = found[0]
    finals, interval = _list_finals(peers), intervals[0]
    return Finding(
        message=f"{len(peers)} seeds of {group.title} disagree: {peers[0].metric} ends between {finals.min():,.4g} "
        "and "
        f"{finals.max():,.4g}, interquartile mean {interval.estimate:,.4g} (95 % interval {interval.low:,.4g} to "
        f"{interval.high:,.4g}){_count_others(len(found))}.",
        confidence=HIGH if len(peers) >= 4 else MEDIUM,
        evidence=tuple(
            _make_evidence(peers[0].metric, interval) for (_, peers), interval in zip(found, intervals, strict=True)
        ),
    )


def _make_evidence(metric: str, interval: Interval) -> Evidence:
    return Evidence(metric=metric, value=interval.estimate, limit=interval.high)


def _describe_single_seed(found: list[tuple[RunGroup, PeerRun]]) -> Finding:
    group, peer = found[0]
    seed = f"seed {peer.seed}" if peer.seed else "one seed"
    return Finding(
        message=f"The result of {group.title} relies on {seed} alone{_count_others(len(found))}.",
        confidence=HIGH,
        evidence=tuple(Evidence(metric=one.metric, value=one.final) for _, one in found[:5] if one.final is not None),
    )


def _count_others(count: int) -> str:
    return f"; the same holds for {count - 1} more groups" if count > 1 else ""
