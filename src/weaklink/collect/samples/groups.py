"""Groups of completions of one prompt: their size, their spread, and whether they are kept together."""

from __future__ import annotations

import msgspec
import numpy as np

from weaklink.base.evidence.samples import Flags, Ints, Samples
from weaklink.base.evidence.series import Array


class SampleGroups(msgspec.Struct, frozen=True, kw_only=True):
    """The groups of a set, of two rows and more each.

    `spread` is the usual standard deviation of the reward in a group, `between` that of the means of groups. The others
    are shares of groups, None where the rows do not say: `no_spread` those in which every row got the same, of them
    `all_right` and `all_wrong`; and, for the order of rows, those whose rows stand next to each other (`adjacent`) and
    have `one_prompt`. `steps_back` counts how often the training step goes back from one row to the next.
    """

    count: int
    alone: int
    smallest: int
    usual: int
    largest: int
    spread: float | None = None
    between: float | None = None
    no_spread: float | None = None
    all_right: float | None = None
    all_wrong: float | None = None
    adjacent: float = 1.0
    one_prompt: float | None = None
    steps_back: int | None = None


def summarise_groups(samples: Samples) -> SampleGroups | None:
    """What is known of the groups; None where no two rows share one."""
    if "group" not in samples:
        return None
    named = samples.codes["group"] >= 0
    _, group = np.unique(samples.codes["group"][named], return_inverse=True)
    sizes = np.bincount(group)
    several = sizes > 1
    if not several.any():
        return None
    real = sizes[several]
    rows = np.flatnonzero(named)
    return msgspec.structs.replace(
        _summarise_rewards(samples, group, rows, several),
        count=int(several.sum()),
        alone=int((~several).sum()),
        smallest=int(real.min()),
        usual=int(np.bincount(real).argmax()),
        largest=int(real.max()),
        adjacent=float((_count_segments(group, rows, len(sizes))[several] == 1).mean()),
        one_prompt=_measure_uniform(samples.codes.get("prompt"), group, rows, several),
        steps_back=_count_steps_back(samples),
    )


def _summarise_rewards(samples: Samples, group: Ints, rows: Ints, several: Flags) -> SampleGroups:
    """What the reward says of the groups; the rest is filled in by others."""
    bare = SampleGroups(count=0, alone=0, smallest=0, usual=0, largest=0)
    if "reward" not in samples:
        return bare
    low, high, means, spreads = _summarise_by_group(samples["reward"][rows], group, len(several))
    known = several & np.isfinite(spreads)
    if not known.any():
        return bare
    same = known & (high - low <= 1e-9 * np.maximum(1.0, np.abs(high)))
    right, wrong = _find_ends(samples, group, rows, same)
    return msgspec.structs.replace(
        bare,
        spread=float(np.median(spreads[known])),
        between=float(means[known].std()),
        no_spread=float(same.sum() / known.sum()),
        all_right=float(right.sum() / known.sum()),
        all_wrong=float(wrong.sum() / known.sum()),
    )


def _summarise_by_group(values: Array, group: Ints, count: int) -> tuple[Array, Array, Array, Array]:
    """Lowest, highest, mean and standard deviation in each group, not a number where fewer than two rows say."""
    finite = np.isfinite(values)
    values, group = values[finite], group[finite]
    number = np.bincount(group, minlength=count)
    low, high = np.full(count, np.inf), np.full(count, -np.inf)
    np.minimum.at(low, group, values)
    np.maximum.at(high, group, values)
    some = np.maximum(number, 1)
    means = np.bincount(group, values, count) / some
    spreads = np.sqrt(np.bincount(group, (values - means[group]) ** 2, count) / some)
    spreads[number < 2] = np.nan
    means[number < 1] = np.nan
    return low, high, means, spreads


def _find_ends(samples: Samples, group: Ints, rows: Ints, same: Flags) -> tuple[Flags, Flags]:
    """Of the groups without spread, those that are all right and all wrong: by the outcome, else by what was paid."""
    for name in (samples.outcome, "reward"):
        if name is None or name not in samples:
            continue
        column = samples[name]
        lowest, highest = float(np.nanmin(column)), float(np.nanmax(column))
        middle = lowest / 2 + highest / 2 if highest > lowest else 0.0
        low, high, _, _ = _summarise_by_group(column[rows], group, len(same))
        right, wrong = same & (low > middle), same & (high <= middle)
        if right.any() or wrong.any():
            return right, wrong
    return np.zeros_like(same), np.zeros_like(same)


def _count_segments(group: Ints, rows: Ints, count: int) -> Ints:
    """In how many pieces each group stands in the file."""
    begins = np.r_[True, (group[1:] != group[:-1]) | (np.diff(rows) > 1)]
    return np.bincount(group[begins], minlength=count)


def _measure_uniform(codes: Ints | None, group: Ints, rows: Ints, several: Flags) -> float | None:
    """The share of groups whose rows all have the same code; None where no row has any."""
    if codes is None or not (codes >= 0).any():
        return None
    known = codes[rows] >= 0
    distinct = count_distinct(group[known], codes[rows][known], len(several))
    judged = several & (distinct > 0)
    return float((distinct[judged] == 1).mean()) if judged.any() else None


def count_distinct(owners: Ints, codes: Ints, count: int) -> Ints:
    """How many different codes each owner has; owners count from 0."""
    _, place = np.unique(codes, return_inverse=True)
    width = len(place) + 1
    return np.bincount(np.unique(owners * width + place) // width, minlength=count)


def _count_steps_back(samples: Samples) -> int | None:
    if "step" not in samples:
        return None
    steps = samples["step"][np.isfinite(samples["step"])]
    return int((np.diff(steps) < 0).sum())
