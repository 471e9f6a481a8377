"""How two trainers stand to each other: curves, final levels, how sure the difference is, and where they differ."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations, product

import msgspec
import numpy as np

from weaklink.base.evidence.comparison import AgentAnswers, Comparison, Contestant, ContestantTraining
from weaklink.base.evidence.series import Array
from weaklink.base.stats import bootstrap_interval, compare_means

BINS = 24
CONFIDENCE = 0.95
CLOSE = 0.1
"""Continuous actions that lie closer than this share of their range count as the same."""

FEWEST_PROMISES = 5
FAR_FROM_ZERO = 0.5
"""Returns that cancel each other out make no scale."""

LAST_PART = 0.25


class SeedLevel(msgspec.Struct, frozen=True):
    """A mean over seeds and its interval (95 %, by resampling the seeds)."""

    mean: float
    low: float
    high: float


class ReturnCurve(msgspec.Struct, frozen=True, kw_only=True):
    """The return of episodes over training: for each stretch of steps its end and the level over seeds."""

    steps: tuple[int, ...] = ()
    levels: tuple[SeedLevel, ...] = ()


class ContestantSide(msgspec.Struct, frozen=True, kw_only=True):
    """One contestant in numbers.

    `final` is the level of the trained agents, `seeds` their mean returns; `late` the level in the last quarter of
    training; `half_way` the step, in the middle of the seeds, at which half of the reference's gain in training was
    made, None where it never was; `promise` the values of first observations over what followed them, None where that
    is unknown.
    """

    seeds: tuple[float, ...] = ()
    final: SeedLevel | None = None
    late_seeds: tuple[float, ...] = ()
    late: SeedLevel | None = None
    half_way: float | None = None
    promise: float | None = None
    entropy: float | None = None
    gamma: float | None = None


class Standing(msgspec.Struct, frozen=True, kw_only=True):
    """Both in numbers.

    `difference` is the trainer's final level less the reference's; `worse` how often a seed of the reference beats one
    of the trainer; `gain` the trainer's part of what the reference gained over random play. `agreement` is the share
    of observations to which both act alike, `own_agreement` that among seeds of the reference alone.
    """

    trainer: ContestantSide
    reference: ContestantSide
    random: float | None = None
    difference: SeedLevel | None = None
    worse: float | None = None
    late_difference: SeedLevel | None = None
    gain: float | None = None
    agreement: float | None = None
    own_agreement: float | None = None
    value_correlation: float | None = None
    value_scale: float | None = None


def compute_standing(comparison: Comparison) -> Standing:
    """Everything that can be told from the numbers."""
    random = float(np.mean(comparison.random)) if comparison.random else None
    ours, theirs = _summarise_side(comparison.trainer), _summarise_side(comparison.reference)
    half = _find_half_return(random, theirs)
    ours, theirs = (
        msgspec.structs.replace(side, half_way=_find_half_way(contestant, half, comparison.steps))
        for side, contestant in ((ours, comparison.trainer), (theirs, comparison.reference))
    )
    difference, worse = _compare_sides(ours.seeds, theirs.seeds)
    correlation, scale = _compare_values(comparison)
    return Standing(
        trainer=ours,
        reference=theirs,
        random=random,
        difference=difference,
        worse=worse,
        late_difference=_compare_sides(ours.late_seeds, theirs.late_seeds)[0],
        gain=_compute_gain(random, ours, theirs),
        agreement=_measure_agreement(comparison, product(comparison.trainer.whole, comparison.reference.whole)),
        own_agreement=_measure_agreement(comparison, combinations(comparison.reference.whole, 2)),
        value_correlation=correlation,
        value_scale=scale,
    )


def _summarise_side(contestant: Contestant) -> ContestantSide:
    whole = contestant.whole
    seeds = tuple(float(np.mean(each.evaluation.returns)) for each in whole)
    late = tuple(level for each in whole if (level := _measure_late_return(each)) is not None)
    entropies = [entropy for each in whole for entropy in each.answers.entropies]
    gammas = {each.gamma for each in whole}
    return ContestantSide(
        seeds=seeds,
        final=_compute_level(seeds),
        late_seeds=late,
        late=_compute_level(late),
        promise=_measure_promise(whole),
        entropy=float(np.mean(entropies)) if entropies else None,
        gamma=gammas.pop() if len(gammas) == 1 else None,
    )


def _compute_level(values: tuple[float, ...] | Array) -> SeedLevel | None:
    known = np.asarray(values, float)
    known = known[np.isfinite(known)]
    if not len(known):
        return None
    found = bootstrap_interval(known, np.random.default_rng(0), confidence=CONFIDENCE)
    return SeedLevel(found.estimate, found.low, found.high)


def _measure_late_return(training: ContestantTraining) -> float | None:
    """The mean return of the episodes that ended in the last part of training; of the last one where none did."""
    if not training.returns:
        return None
    late = np.asarray(training.ends) > (1.0 - LAST_PART) * training.taken
    returns = np.asarray(training.returns, float)
    return float(returns[late].mean()) if late.any() else float(returns[-1])


def _bin_returns(training: ContestantTraining, edges: Array) -> Array:
    """The mean return of the episodes that ended in each stretch; where none did, that of the stretch before."""
    returns = np.asarray(training.returns, float)
    place = np.searchsorted(edges, np.asarray(training.ends, float), side="left")
    binned, last = np.full(len(edges), np.nan), np.nan
    for at in range(len(edges)):
        inside = returns[place == at]
        last = float(inside.mean()) if len(inside) else last
        binned[at] = last
    return binned


def _make_edges(steps: int) -> Array:
    return np.linspace(0, steps, BINS + 1)[1:]


def compute_curve(contestant: Contestant, steps: int) -> ReturnCurve:
    """The return over training, as a level over seeds; empty where no episode ended."""
    known = [each for each in contestant.whole if each.returns]
    if not known:
        return ReturnCurve()
    edges = _make_edges(steps)
    rows = np.array([_bin_returns(each, edges) for each in known])
    levels = [_compute_level(column) for column in rows.T]
    kept = [(round(end), level) for end, level in zip(edges.tolist(), levels, strict=True) if level is not None]
    return ReturnCurve(steps=tuple(end for end, _ in kept), levels=tuple(level for _, level in kept))


def _find_half_return(random: float | None, theirs: ContestantSide) -> float | None:
    """The return half of the way from random play to what the reference reaches in training."""
    if random is None or theirs.late is None or theirs.late.mean <= random:
        return None
    return random / 2 + theirs.late.mean / 2


def _find_half_way(contestant: Contestant, half: float | None, steps: int) -> float | None:
    known = [each for each in contestant.whole if each.returns]
    if half is None or not known:
        return None
    edges = _make_edges(steps)
    reached = []
    for each in known:
        above = np.flatnonzero(_bin_returns(each, edges) >= half)
        reached.append(float(edges[above[0]]) if len(above) else np.inf)
    middle = float(np.sort(reached)[len(reached) // 2])
    return middle if np.isfinite(middle) else None


def _compare_sides(ours: tuple[float, ...], theirs: tuple[float, ...]) -> tuple[SeedLevel | None, float | None]:
    """The difference with its interval, and how often a seed of the reference is better."""
    if not ours or not theirs:
        return None, None
    held = compare_means(np.asarray(ours), np.asarray(theirs), confidence=CONFIDENCE)
    return SeedLevel(held.difference, held.low, held.high), 1.0 - held.superiority


def _compute_gain(random: float | None, ours: ContestantSide, theirs: ContestantSide) -> float | None:
    if random is None or ours.final is None or theirs.final is None or theirs.final.mean <= random:
        return None
    return (ours.final.mean - random) / (theirs.final.mean - random)


def _measure_agreement(
    comparison: Comparison, pairs: Iterable[tuple[ContestantTraining, ContestantTraining]]
) -> float | None:
    shares = [
        share for one, two in pairs if (share := _measure_likeness(comparison, one.answers, two.answers)) is not None
    ]
    return float(np.mean(shares)) if shares else None


def _measure_likeness(comparison: Comparison, one: AgentAnswers, two: AgentAnswers) -> float | None:
    first, second = (np.array(answers.actions, float) for answers in (one, two))
    if first.shape != second.shape or not first.size:
        return None
    if comparison.actions.discrete:
        return float(np.all(first == second, axis=1).mean())
    widths = np.array(comparison.actions.widths)
    bounded = widths > 0
    if not bounded.any():
        return None
    apart = np.abs(first - second)[:, bounded] / widths[bounded]
    return float(np.all(apart <= CLOSE, axis=1).mean())


def _compare_values(comparison: Comparison) -> tuple[float | None, float | None]:
    """How far the mean values of both go together, and how many times larger the trainer's are."""
    ours, theirs = (_average_values(side) for side in (comparison.trainer, comparison.reference))
    if ours is None or theirs is None or ours.shape != theirs.shape:
        return None, None
    largest = float(np.sqrt(np.mean(theirs**2)))
    scale = float(np.sqrt(np.mean(ours**2))) / largest if largest > 0 else None
    vary = ours.std() > 0 and theirs.std() > 0
    return float(np.corrcoef(ours, theirs)[0, 1]) if vary else None, scale


def _average_values(contestant: Contestant) -> Array | None:
    rows = [each.answers.values for each in contestant.whole if each.answers.values]
    if not rows or len({len(row) for row in rows}) != 1:
        return None
    mean = np.array(rows, float).mean(axis=0)
    return mean if np.isfinite(mean).all() else None


def _measure_promise(whole: tuple[ContestantTraining, ...]) -> float | None:
    promised = [value for each in whole for value in each.evaluation.promised]
    followed = [value for each in whole for value in each.evaluation.discounted]
    if len(promised) < FEWEST_PROMISES or not np.isfinite(promised).all():
        return None
    mean, size = float(np.mean(followed)), float(np.mean(np.abs(followed)))
    return float(np.mean(promised)) / mean if abs(mean) > FAR_FROM_ZERO * size else None
