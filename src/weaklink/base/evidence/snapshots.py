"""What a recording holds besides its rows: distributions as they were now and then, and episodes step by step."""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite
from typing import Any

import msgspec

MOST_KEPT = 64
"""Of each kind at most this many are kept, from all over the run, the first and the last among them."""

MOST_METRICS = 64


class MetricHistogram(msgspec.Struct, frozen=True, kw_only=True):
    """How the values of one metric lay at one step: `counts` of them between each two neighbours of `edges`."""

    metric: str
    step: float
    edges: tuple[float, ...]
    counts: tuple[int, ...]


class EpisodeTrace(msgspec.Struct, frozen=True, kw_only=True):
    """One episode: what each state was thought to be worth and what it paid, from step `first` of the episode on."""

    step: float
    values: tuple[float, ...]
    rewards: tuple[float, ...]
    length: int = 0
    first: int = 0


class EvenSampler(msgspec.Struct):
    """Keeps some of many, evenly from all over: every second is dropped whenever there are too many."""

    kept: list[Any] = []
    _stride: int = 1
    _count: int = 0
    _last: Any = None

    def add(self, one: object) -> None:
        """Takes one more."""
        if self._count % self._stride == 0:
            self.kept.append(one)
        self._count += 1
        self._last = one
        if len(self.kept) > MOST_KEPT:
            self.kept = self.kept[::2]
            self._stride *= 2

    def __deepcopy__(self, memo: dict[int, Any]) -> EvenSampler:
        """A list of its own; what is in it never changes, and a growing recording is copied at every look."""
        return EvenSampler(list(self.kept), self._stride, self._count, self._last)

    @property
    def all(self) -> list[Any]:
        """Those that were kept, and the last."""
        ended = self._last is None or self.kept[-1] is self._last
        return list(self.kept) if ended else [*self.kept, self._last]


class Snapshots(msgspec.Struct):
    """The distributions by metric and the episodes of a recording."""

    distributions: dict[str, EvenSampler] = {}
    traces: EvenSampler = msgspec.field(default_factory=EvenSampler)

    def take(self, line: Mapping[str, Any]) -> None:
        """Takes what a line of a recording holds of either; what is no such thing, or is broken, is passed over."""
        if isinstance(line.get("histogram"), dict):
            counted = _parse_histogram(line["histogram"])
            if counted is not None and (counted.metric in self.distributions or len(self.distributions) < MOST_METRICS):
                self.distributions.setdefault(counted.metric, EvenSampler()).add(counted)
        elif isinstance(line.get("trace"), dict):
            trace = _convert(line["trace"], EpisodeTrace)
            if trace is not None and len(trace.values) == len(trace.rewards) > 0 and isfinite(trace.step):
                self.traces.add(trace)


def _parse_histogram(content: Mapping[str, Any]) -> MetricHistogram | None:
    counted = _convert(content, MetricHistogram)
    if counted is None or len(counted.edges) != len(counted.counts) + 1 or not isfinite(counted.step):
        return None
    return counted if all(map(isfinite, counted.edges)) and min(counted.counts, default=0) >= 0 else None


def _convert(content: Mapping[str, Any], kind: type[Any]) -> Any:
    try:
        return msgspec.convert(content, kind, strict=False)
    except (msgspec.ValidationError, ValueError, OverflowError):
        return None
