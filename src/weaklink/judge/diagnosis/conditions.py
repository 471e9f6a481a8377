"""The ways in which settings part a sweep: over a number or not, one value or another."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import sqrt

import msgspec
import numpy as np
from numpy.typing import NDArray

from weaklink.base.evidence.sweep import Sweep, Value

MOST_CUTS = 31
"""Of one setting that was drawn at random: about three percent of the runs lie between two of them."""
MOST_WORDS = 40
"""Values of one setting that are looked at as words, the most frequent first."""
FEWEST = 3
"""Configurations on either side: a split that leaves fewer tells nothing."""
SHORT = 3
"""Digits of a number that somebody chose, such as 0.995 or 64."""

OVER, AT_MOST, IS = "over", "at most", "is"


class Condition(msgspec.Struct, frozen=True):
    """What is said of one setting: `over` or `at most` a number, or that it `is` a value (None: it is not set)."""

    setting: str
    relation: str
    value: Value | None

    @property
    def text(self) -> str:
        """As it is read: `learning_rate over 0.001`."""
        if self.value is None:
            return f"{self.setting} not set"
        value = f"{self.value:g}" if isinstance(self.value, float) else str(self.value)
        relation = "" if self.relation == IS else f" {self.relation}"
        return f"{self.setting}{relation} {value}" if relation else f"{self.setting} = {value}"


@dataclass(frozen=True)
class SettingSplits:
    """Each condition with the configurations that meet it, a row of `masks` each."""

    conditions: tuple[Condition, ...]
    masks: NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.conditions)

    def merge(self, path: Sequence[int]) -> list[int]:
        """A path without conditions that a later one on the same side of the same setting makes needless."""
        kept: dict[tuple[str, str], int] = {}
        for one in path:
            condition = self.conditions[one]
            kept[condition.setting, condition.relation] = one
        return list(kept.values())

    def list_alike(self, path: Sequence[int], among: NDArray[np.bool_]) -> tuple[Condition, ...]:
        """Conditions on other settings that part these configurations just as one of the path does."""
        named = {self.conditions[one].setting for one in path}
        found: dict[str, Condition] = {}
        for one in path:
            same = np.flatnonzero((self.masks[:, among] == self.masks[one, among]).all(axis=1))
            for other in same:
                condition = self.conditions[other]
                if condition.setting not in named:
                    found.setdefault(condition.setting, condition)
        return tuple(found.values())


def make_splits(sweep: Sweep, *, fewest: int = FEWEST) -> SettingSplits:
    """Every way in which one setting parts the configurations, with at least a few on either side."""
    conditions: list[Condition] = []
    masks: list[NDArray[np.bool_]] = []
    for place, name in enumerate(sweep.names):
        for condition, mask in _split_setting(name, [row[place] for row in sweep.values]):
            if fewest <= mask.sum() <= len(mask) - fewest:
                conditions.append(condition)
                masks.append(mask)
    return SettingSplits(tuple(conditions), np.array(masks, dtype=np.bool_).reshape(len(masks), len(sweep)))


def _split_setting(name: str, values: Sequence[Value | None]) -> Iterator[tuple[Condition, NDArray[np.bool_]]]:
    numbers = np.array([one if isinstance(one, float) else np.nan for one in values], dtype=np.float64)
    yield from _split_numbers(name, numbers)
    words = Counter(one for one in values if not isinstance(one, float))
    for word, _ in sorted(words.items(), key=lambda item: (-item[1], str(item[0])))[:MOST_WORDS]:
        mask = np.array([one is word or (one == word and type(one) is type(word)) for one in values], dtype=np.bool_)
        yield Condition(name, IS, word), mask


def _split_numbers(name: str, numbers: NDArray[np.float64]) -> Iterator[tuple[Condition, NDArray[np.bool_]]]:
    known = numbers[np.isfinite(numbers)]
    distinct = np.array(sorted(set(known.tolist())))  # np.unique loads a large part of numpy
    if len(distinct) < 2:
        if len(distinct):
            yield Condition(name, IS, float(distinct[0])), numbers == distinct[0]
        return
    if len(distinct) > MOST_CUTS + 1:
        wanted = np.quantile(known, np.linspace(0, 1, MOST_CUTS + 2)[1:-1], method="lower")
        cuts = np.array(sorted(set((np.searchsorted(distinct, wanted, side="right") - 1).tolist())))
    else:
        cuts = np.arange(len(distinct) - 1)
    for cut in cuts[cuts < len(distinct) - 1]:
        limit = _choose_limit(float(distinct[cut]), float(distinct[cut + 1]))
        yield Condition(name, OVER, limit), numbers >= distinct[cut + 1]
        yield Condition(name, AT_MOST, limit), numbers <= distinct[cut]


def _choose_limit(low: float, high: float) -> float:
    """The plainest number from `low` on and below `high`."""
    if float(f"{low:.{SHORT}g}") == low:
        return low
    middle = sqrt(low * high) if low > 0 else (low + high) / 2
    for digits in range(1, 17):
        limit = float(f"{middle:.{digits}g}")
        if low <= limit < high:
            return limit
    return low
