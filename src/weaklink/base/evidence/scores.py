"""What a comparison comes to: the score of each party with its interval, and each against the first.

Evaluations by item are compared item by item; runs and evaluations by seed through their seeds, task by task.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import comb

import msgspec
import numpy as np

from weaklink.base.evidence.contrast import Contrast, EvaluationParty
from weaklink.base.evidence.series import Array
from weaklink.base.stats import Interval, stratified_interval
from weaklink.base.stats.paired import mcnemar, paired_interval
from weaklink.base.stats.seeds import (
    difference_interval,
    improvement_interval,
    optimality_gap,
    performance_profile,
    relabelling_chance,
    seeds_needed,
)

CONFIDENCE = 0.95
LEVELS = 24
ITEMS, SEEDS = "item", "seed"


class PartyScore(msgspec.Struct, frozen=True, kw_only=True):
    """One party: its score with the interval that holds it, None from one seed alone.

    `count` is how many seeds or items it rests on, `tasks` its mean on each task, `gap` how far it stays below the
    target on average, `profile` the share of its seeds or items above each level.
    """

    name: str
    value: float
    count: int
    interval: Interval | None = None
    tasks: dict[str, float] = {}
    gap: float | None = None
    profile: tuple[float, ...] = ()


class PartyPair(msgspec.Struct, frozen=True, kw_only=True):
    """A party against the first one.

    `improvement` is the probability that it does better on one item or seed, a tie counting half. `chance` is how often
    luck alone would give such a difference. `only_first` and `only_second` count items that one of them alone got
    right. `needed` is how many items or seeds a side would tell a difference of this size. `better` names who is better
    beyond chance.
    """

    first: str
    second: str
    difference: Interval | None = None
    improvement: Interval | None = None
    chance: float | None = None
    only_first: int | None = None
    only_second: int | None = None
    needed: int | None = None
    better: str = ""


class ContrastScores(msgspec.Struct, frozen=True, kw_only=True):
    """The whole comparison in numbers. `levels` are those of the profiles; `confidence` is that of every interval."""

    unit: str
    statistic: str
    parties: tuple[PartyScore, ...]
    pairs: tuple[PartyPair, ...]
    levels: tuple[float, ...] = ()
    confidence: float = CONFIDENCE
    scaled: bool = False
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class _PartySide:
    """The scores of one party, an array a task."""

    name: str
    groups: list[Array]

    @property
    def all(self) -> Array:
        return np.concatenate(self.groups)


def score_contrast(contrast: Contrast, *, seed: int = 0) -> ContrastScores:
    """The numbers of a comparison; parties without a task in common have none."""
    paired = _pair_items(contrast) if contrast.by_item else None
    sides, notes = paired or _group_by_seed(contrast)
    pairs = len(sides) - 1
    confidence = 1.0 - (1.0 - CONFIDENCE) / max(pairs, 1)
    scaled = paired is None and len(contrast.tasks) > 1 and any(_outside(side) for side in sides)
    raw = sides
    if scaled:
        sides = _scale_sides(sides)
        notes = (*notes, "each task was scaled to run from 0, the lowest score seen on it, to 1, the highest")
    if pairs > 1:
        notes = (*notes, f"intervals are at {confidence:.1%}, so that all of {pairs} comparisons hold together at 95 %")
    levels = _make_levels(sides)
    against = _compare_items if paired else _compare_seeds
    rng = np.random.default_rng(seed)
    return ContrastScores(
        unit=ITEMS if paired else SEEDS,
        statistic="mean" if paired else "interquartile mean",
        parties=tuple(
            _score_side(side, own, contrast, levels, confidence, by_item=paired is not None, seed=seed)
            for side, own in zip(sides, raw, strict=True)
        ),
        pairs=tuple(against(sides[0], other, rng, confidence) for other in sides[1:]),
        levels=tuple(levels.tolist()),
        confidence=confidence,
        scaled=scaled,
        notes=notes,
    )


def _pair_items(contrast: Contrast) -> tuple[list[_PartySide], tuple[str, ...]] | None:
    """Every item that all parties have, in one order; None where a task has no item in common."""
    groups: list[list[Array]] = []
    left_out = 0
    for task in contrast.tasks:
        tables = [_average_items(party, task) for party in contrast.parties]
        shared = [item for item in tables[0] if all(item in table for table in tables[1:])]
        if not shared:
            return None
        left_out += len({item for table in tables for item in table}) - len(shared)
        groups.append([np.array([table[item] for item in shared]) for table in tables])
    sides = [_PartySide(party.name, [task[place] for task in groups]) for place, party in enumerate(contrast.parties)]
    notes = (f"{left_out} items that not all have were left out",) if left_out else ()
    return sides, notes


def _average_items(party: EvaluationParty, task: str) -> dict[str, float]:
    """The mean score of each item over all tries and evaluations."""
    tries: dict[str, list[float]] = {}
    for entry in party.on(task):
        for item, scores in entry.manifest.scores.items():
            tries.setdefault(item, []).extend(scores)
    return {item: sum(scores) / len(scores) for item, scores in tries.items()}


def _group_by_seed(contrast: Contrast) -> tuple[list[_PartySide], tuple[str, ...]]:
    sides = [
        _PartySide(party.name, [np.array(_list_seed_scores(party, task)) for task in contrast.tasks])
        for party in contrast.parties
    ]
    return sides, ()


def _list_seed_scores(party: EvaluationParty, task: str) -> list[float]:
    """A score a seed; an evaluation by item is one seed."""
    found: list[float] = []
    for entry in party.on(task):
        means = [sum(tries) / len(tries) for tries in entry.manifest.scores.values()]
        found.extend(means if entry.manifest.per == SEEDS else [sum(means) / len(means)])
    return found


def _outside(side: _PartySide) -> bool:
    return bool(side.all.min() < 0.0 or side.all.max() > 1.0)


def _scale_sides(sides: list[_PartySide]) -> list[_PartySide]:
    count = len(sides[0].groups)
    lows = [min(float(side.groups[task].min()) for side in sides) for task in range(count)]
    highs = [max(float(side.groups[task].max()) for side in sides) for task in range(count)]
    reach = [high - low or 1.0 for low, high in zip(lows, highs, strict=True)]
    return [
        _PartySide(side.name, [(group - low) / wide for group, low, wide in zip(side.groups, lows, reach, strict=True)])
        for side in sides
    ]


def _make_levels(sides: list[_PartySide]) -> Array:
    low, high = min(side.all.min() for side in sides), max(side.all.max() for side in sides)
    return np.linspace(low, high, LEVELS)


def _score_side(
    side: _PartySide, raw: _PartySide, contrast: Contrast, levels: Array, confidence: float, *, by_item: bool, seed: int
) -> PartyScore:
    rng = np.random.default_rng(seed)
    count = len(side.all)
    if by_item:
        interval = paired_interval(side.groups, rng, confidence=confidence)
    else:
        interval = stratified_interval(side.groups, rng, confidence=confidence)
    certain = count > len(side.groups)
    target = contrast.target
    return PartyScore(
        name=side.name,
        value=interval.estimate,
        count=count,
        interval=interval if certain else None,
        tasks={task: float(group.mean()) for task, group in zip(contrast.tasks, raw.groups, strict=True)},
        gap=None if target is None else optimality_gap(side.all, target),
        profile=tuple(performance_profile(side.groups, levels).tolist()),
    )


def _compare_items(first: _PartySide, second: _PartySide, rng: np.random.Generator, confidence: float) -> PartyPair:
    gains = [two - one for one, two in zip(first.groups, second.groups, strict=True)]
    difference = paired_interval(gains, rng, confidence=confidence)
    improvement = paired_interval([(np.sign(gain) + 1.0) / 2.0 for gain in gains], rng, confidence=confidence)
    told = mcnemar(first.all, second.all) if _right_or_wrong(first) and _right_or_wrong(second) else None
    spread = float(np.concatenate(gains).std(ddof=1)) if len(first.all) > 1 else float("nan")
    sure = told is None or told.chance <= 1.0 - confidence
    return PartyPair(
        first=first.name,
        second=second.name,
        difference=difference,
        improvement=improvement,
        chance=None if told is None else told.chance,
        only_first=None if told is None else told.first_only,
        only_second=None if told is None else told.second_only,
        needed=seeds_needed(difference.estimate, spread, 0.0, confidence=confidence),
        better=_name_better(difference, first, second) if sure else "",
    )


def _compare_seeds(first: _PartySide, second: _PartySide, rng: np.random.Generator, confidence: float) -> PartyPair:
    fewest = min(len(group) for group in (*first.groups, *second.groups))
    difference = difference_interval(second.groups, first.groups, rng, confidence=confidence)
    if fewest < 2:
        alone = Interval(difference.estimate, float("-inf"), float("inf"))
        return PartyPair(first=first.name, second=second.name, difference=alone)
    chance = relabelling_chance(second.groups, first.groups, rng)
    return PartyPair(
        first=first.name,
        second=second.name,
        difference=difference,
        improvement=improvement_interval(second.groups, first.groups, rng, confidence=confidence),
        chance=chance,
        needed=_compute_seeds_needed(difference.estimate, first, second, confidence),
        better=_name_better(difference, first, second) if chance <= 1.0 - confidence else "",
    )


def _compute_seeds_needed(difference: float, first: _PartySide, second: _PartySide, confidence: float) -> int | None:
    """Seeds a side by the usual formula, and no fewer than relabelling can tell apart at all."""
    needed = seeds_needed(difference, _measure_spread(first), _measure_spread(second), confidence=confidence)
    fewest = next(count for count in range(2, 100) if 2.0 / comb(2 * count, count) <= 1.0 - confidence)
    return None if needed is None else max(needed, fewest)


def _measure_spread(side: _PartySide) -> float:
    return float(np.mean([group.std(ddof=1) for group in side.groups]))


def _right_or_wrong(side: _PartySide) -> bool:
    return bool(np.isin(side.all, (0.0, 1.0)).all())


def _name_better(difference: Interval, first: _PartySide, second: _PartySide) -> str:
    return second.name if difference.low > 0.0 else first.name if difference.high < 0.0 else ""
