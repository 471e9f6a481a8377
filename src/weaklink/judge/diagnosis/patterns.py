"""What a sweep says: which settings go with which first break, by exact tests, with every comparison counted."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec
import numpy as np
from numpy.typing import NDArray

from weaklink.base.evidence.sweep import Sweep, SweptRun
from weaklink.base.stats import compute_fisher_tail
from weaklink.judge.diagnosis.conditions import Condition, SettingSplits, make_splits
from weaklink.judge.diagnosis.contrasts import GridContrasts

MOST_CONDITIONS = 3
"""Of one path: more could not be read as a cause."""
MOST_PATHS = 3
"""Of one break: several settings can each lead to it."""
CHANCE = 0.001
"""The chance that a sweep without any cause has one named, over all comparisons together: one sweep in a thousand."""
FURTHER = 0.01
"""The chance that a condition beyond the first is named without reason, over all that are tried at its place."""
NEEDED = 0.01
"""The chance by which a condition must still part the runs that meet the others of its path: it was selected before."""
FEWEST = 3
"""Configurations with a break: fewer are anecdotes, whatever the test says."""
LEAST_ODDS = 3.0
"""By which the odds of breaking must rise: in thousands of runs differences that matter to nobody are beyond chance."""
TRIED = 24
"""Splits, the most telling by their z-score, that the exact test is worked out for."""

Mask = NDArray[np.bool_]


class Pattern(msgspec.Struct, frozen=True, kw_only=True):
    """Runs that broke at one link, or by one rule, and the conditions that most of them meet.

    `hits` of the `size` runs that meet the conditions broke so, `other_hits` of the `other_size` that do not.
    `configurations` are the same four counts with runs that differ only in their seed counted once. These are tested by
    Fisher's exact test; the runs themselves only where all other settings are equal. `chance` is the p-value,
    multiplied by the number of `comparisons`.
    `alike` are conditions that the same runs meet: this sweep cannot tell them apart.
    """

    link: str
    code: str = ""
    conditions: tuple[Condition, ...]
    hits: int
    size: int
    other_hits: int
    other_size: int
    configurations: tuple[int, int, int, int]
    chance: float
    comparisons: int
    alike: tuple[Condition, ...] = ()


class SweepPatterns(msgspec.Struct, frozen=True, kw_only=True):
    """What was looked for and found: `runs` of `configurations`, over `settings` that differ between them.

    Of `repeated` configurations there were several seeds, and in `split` of these some broke and others did not.
    """

    runs: int
    configurations: int
    settings: tuple[str, ...] = ()
    comparisons: int = 0
    found: tuple[Pattern, ...] = ()
    repeated: int = 0
    split: int = 0


def find_patterns(sweep: Sweep) -> SweepPatterns:
    """Looks for the settings that go with each first break."""
    splits = make_splits(sweep)
    outcomes = _list_outcomes(sweep)
    grid = GridContrasts(sweep)
    comparisons = (len(splits) * MOST_PATHS + len(grid.usable)) * len(outcomes)
    search = _PatternSearch(sweep, splits, comparisons)
    found = [pattern for link, code in outcomes for pattern in search.find(link, code)] if len(splits) else []
    told = {(pattern.link, condition.setting) for pattern in found for condition in pattern.conditions}
    for link, code in outcomes:
        contrast = _find_contrast(sweep, grid, link, code, comparisons)
        if contrast is not None and (link, contrast.conditions[0].setting) not in told:
            found.append(contrast)
    repeated, split = sweep.count_split()
    return SweepPatterns(
        runs=sweep.runs,
        configurations=len(sweep),
        settings=sweep.names,
        comparisons=comparisons,
        found=tuple(_drop_repeated(found)),
        repeated=repeated,
        split=split,
    )


def _find_contrast(sweep: Sweep, grid: GridContrasts, link: str, code: str, comparisons: int) -> Pattern | None:
    """The setting of a grid that goes with a break while all other settings are equal."""
    hits = np.array([sum(_is_so(run, link, code) for run in runs) for runs in sweep.members], dtype=np.int_)
    if hits.sum() < FEWEST:
        return None
    tested = [(*grid.test(one, hits), one) for one in grid.usable]
    telling = [
        (chance, counts, one)
        for chance, counts, one in tested
        if counts[0] >= FEWEST and _compute_ratio(counts) >= LEAST_ODDS and chance * comparisons < CHANCE
    ]
    if not telling:
        return None
    chance, counts, one = min(telling, key=lambda row: row[0])
    mask, broke = grid.splits.masks[one], np.array([_break_so(runs, link, code) for runs in sweep.members])
    return Pattern(
        link=link,
        code=code,
        conditions=(grid.splits.conditions[one],),
        hits=counts[0],
        size=counts[1],
        other_hits=counts[2],
        other_size=counts[3],
        configurations=(int((broke & mask).sum()), int(mask.sum()), int((broke & ~mask).sum()), int((~mask).sum())),
        chance=chance * comparisons,
        comparisons=comparisons,
    )


def _compute_ratio(counts: tuple[int, int, int, int]) -> float:
    hits, size, other_hits, other_size = counts
    return (hits + 0.5) / (size - hits + 0.5) / ((other_hits + 0.5) / (other_size - other_hits + 0.5))


def _list_outcomes(sweep: Sweep) -> list[tuple[str, str]]:
    """The links at which runs broke, and the rules that saw it where a link has several."""
    seen = {(run.link, run.code) for runs in sweep.members for run in runs if run.link}
    links = sorted({link for link, _ in seen})
    several = [(link, code) for link, code in sorted(seen) if sum(one == link for one, _ in seen) > 1]
    return [*((link, "") for link in links), *several]


def _drop_repeated(found: Iterable[Pattern]) -> list[Pattern]:
    """Patterns by how sure they are; one of a rule is left out where its link's says the same."""
    kept: list[Pattern] = []
    for one in sorted(found, key=lambda one: (bool(one.code), one.chance)):
        named = {condition.setting for condition in one.conditions}
        known = (other for other in kept if other.link == one.link and one.code and not other.code)
        if not any(named <= {condition.setting for condition in other.conditions} for other in known):
            kept.append(one)
    return sorted(kept, key=lambda one: one.chance)


class _PatternSearch:
    """Grows paths of conditions, the most telling first, and takes away what does not bear a path."""

    def __init__(self, sweep: Sweep, splits: SettingSplits, comparisons: int) -> None:
        self._sweep, self._splits, self._comparisons = sweep, splits, comparisons
        self._everything = np.ones(len(sweep), dtype=np.bool_)

    def find(self, link: str, code: str) -> list[Pattern]:
        broke = np.array([_break_so(runs, link, code) for runs in self._sweep.members], dtype=np.bool_)
        found: list[Pattern] = []
        left = self._everything
        while len(found) < MOST_PATHS and (broke & left).sum() >= FEWEST:
            path = self._grow_path(broke, left)
            if not path:
                break
            found.append(self._describe(link, code, broke, left, path))
            left = left & ~self._meet(path)
        return found

    def _grow_path(self, broke: Mask, left: Mask) -> list[int]:
        path: list[int] = []
        here = left
        while len(path) < MOST_CONDITIONS:
            limit = FURTHER / len(self._splits) if path else CHANCE / self._comparisons
            best = self._find_best(broke, here, limit)
            if best is None:
                break
            path.append(best)
            here = here & self._splits.masks[best]
        path = self._splits.merge(path)
        needed = [one for one in path if len(path) == 1 or self._is_needed(one, path, broke, left)]
        return needed or path[:1]

    def _find_best(self, broke: Mask, here: Mask, limit: float) -> int | None:
        """The split of these configurations that is least likely by chance, where that is below the limit."""
        total, marked = int(here.sum()), int((broke & here).sum())
        if marked < FEWEST or marked == total:
            return None
        drawn = self._splits.masks[:, here].sum(axis=1)
        hits = self._splits.masks[:, broke & here].sum(axis=1)
        telling = np.flatnonzero((hits >= FEWEST) & (_compute_odds(hits, drawn, marked, total) >= LEAST_ODDS))
        if not len(telling):
            return None
        spread = np.sqrt(drawn * (total - drawn) * marked * (total - marked) / (total**2 * max(total - 1, 1)))
        score = (hits - drawn * marked / total) / np.maximum(spread, 1e-12)
        tried = telling[np.argsort(-score[telling], kind="stable")][:TRIED]
        chances = [compute_fisher_tail(int(hits[one]), int(drawn[one]), marked, total) for one in tried]
        place = int(np.argmin(chances))
        return int(tried[place]) if chances[place] < limit else None

    def _is_needed(self, one: int, path: Sequence[int], broke: Mask, left: Mask) -> bool:
        others = left & self._meet([other for other in path if other != one])
        return self._test(broke, others, self._splits.masks[one]) < NEEDED

    def _meet(self, path: Sequence[int]) -> Mask:
        met = self._everything
        for one in path:
            met = met & self._splits.masks[one]
        return met

    @staticmethod
    def _test(broke: Mask, here: Mask, meeting: Mask) -> float:
        drawn = here & meeting
        return compute_fisher_tail(
            int((broke & drawn).sum()), int(drawn.sum()), int((broke & here).sum()), int(here.sum())
        )

    def _describe(self, link: str, code: str, broke: Mask, left: Mask, path: Sequence[int]) -> Pattern:
        met = self._meet(path)
        inside, outside = left & met, left & ~met
        chance = self._test(broke, left, met)
        runs = self._sweep.members
        counts = [
            (sum(_is_so(run, link, code) for run in one), len(one)) if here else (0, 0)
            for one, here in zip(runs, left, strict=True)
        ]
        hits = sum(count for (count, _), here in zip(counts, met, strict=True) if here)
        size = sum(count for (_, count), here in zip(counts, met, strict=True) if here)
        return Pattern(
            link=link,
            code=code,
            conditions=tuple(self._splits.conditions[one] for one in path),
            hits=hits,
            size=size,
            other_hits=sum(count for count, _ in counts) - hits,
            other_size=sum(count for _, count in counts) - size,
            configurations=(
                int((broke & inside).sum()),
                int(inside.sum()),
                int((broke & outside).sum()),
                int(outside.sum()),
            ),
            chance=min(1.0, chance * self._comparisons),
            comparisons=self._comparisons,
            alike=self._splits.list_alike(path, left),
        )


def _break_so(runs: Sequence[SweptRun], link: str, code: str) -> bool:
    """Whether at least half of the runs of a configuration broke so: one seed that is out of luck is no outcome."""
    return 2 * sum(_is_so(run, link, code) for run in runs) >= len(runs)


def _is_so(run: SweptRun, link: str, code: str) -> bool:
    return run.link == link and (not code or run.code == code)


def _compute_odds(hits: NDArray[np.int_], drawn: NDArray[np.int_], marked: int, total: int) -> NDArray[np.float64]:
    """The odds of breaking within each group over those outside of it; half a run is added to every count."""
    outside, rest = marked - hits, total - drawn
    inside = (hits + 0.5) / (drawn - hits + 0.5)
    odds: NDArray[np.float64] = inside / ((outside + 0.5) / (rest - outside + 0.5))
    return odds
