"""Native metric names and what they mean here: `Alias` for one key, `Dialect` for all keys of one framework."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from functools import cached_property

import msgspec

MEAN_LOG_RATIO = "mean log-ratio, can fall below 0"
"""Aggregation of a KL estimated as the mean of old minus new log-probability: unbiased, but negative at times."""

PER_EPISODE = "one episode each"
"""Aggregation of a series that has one point an episode."""


class Alias(msgspec.Struct, frozen=True):
    """What a native key means: the metric, the factor that brings it there, and how it was aggregated.

    `divide_by` names a hyper-parameter that the source has multiplied in (skrl logs its entropy loss times the
    entropy coefficient); `axis` overrides what the log's steps count, where a framework mixes axes. `flips` is set
    where the same name is used with either sign (an entropy logged as a loss): the values settle it, see `factor`.
    """

    metric: str
    scale: float = 1.0
    aggregation: str = ""
    axis: str = ""
    divide_by: str = ""
    flips: bool = False

    def factor(self, values: Sequence[float]) -> float:
        """The factor for these values: `scale`, turned over if `flips` is set and the run starts below 0.

        The start decides and not the whole run, because a policy starts out with much entropy, while the
        differential entropy of a narrow Gaussian ends below 0 with either sign convention.
        """
        early = sorted(values[: 1 + len(values) // 10])
        return -self.scale if self.flips and early and early[len(early) // 2] < 0 else self.scale


UNNAMED = Alias("")
"""For keys that a dialect knows and the vocabulary has no name for: they stay under their own name, and the common
dialect, which would take them for something else, is not asked."""


class Dialect(msgspec.Struct, frozen=True, dict=True):
    """One framework's native names.

    Args:
        framework: the framework as users call it.
        names: native key to alias, matched exactly; where several keys of a log mean the same metric, the one that
            stands first here is taken.
        patterns: pairs of a regular expression and an alias whose metric may use the groups, for keys with a
            changing part (`rewards/(.+)/mean`).
        axis: what its steps count.
        ignore: native keys that are no metrics (timestamps, identifiers), as regular expressions.
        algorithms: what some keys mean under one algorithm.
        tells: keys that tell the algorithm where the configuration does not.
        plain: keys and patterns of the tables that match so many logs that they do not tell the framework.
        rewrites: pairs of a regular expression for the start of a key and what to put there before it is looked
            up: `train/` for nothing, `learners/default_policy/` for `learners/*/`.
    """

    framework: str
    names: Mapping[str, Alias]
    patterns: tuple[tuple[str, Alias], ...] = ()
    axis: str = "env_steps"
    ignore: tuple[str, ...] = ()
    algorithms: Mapping[str, Mapping[str, Alias]] = {}
    tells: Mapping[str, str] = {}
    plain: Collection[str] = frozenset()
    rewrites: tuple[tuple[str, str], ...] = ()

    def alias(self, key: str, algorithm: str = "") -> Alias | None:
        """The meaning of a native key, or None."""
        found = self.meaning(key, algorithm)
        return found[1] if found is not None and found[1].metric else None

    def meaning(self, key: str, algorithm: str = "") -> tuple[int, Alias] | None:
        """The meaning of a native key and its rank among the keys that mean the same; the lowest is taken."""
        key = self.rewritten(key)
        special = self.algorithms.get(algorithm, {}).get(key)
        if special is not None:
            return -1, special
        found = self.names.get(key)
        if found is not None:
            return self._ranks[key], found
        for rank, (pattern, alias) in enumerate(self._compiled, len(self._ranks)):
            match = pattern.fullmatch(key)
            if match is not None:
                return rank, msgspec.structs.replace(alias, metric=_expand_metric(match, alias.metric))
        return None

    def ignores(self, key: str) -> bool:
        """Whether the key is known to be no metric."""
        return self._ignored.fullmatch(key) is not None

    def telling(self, key: str) -> bool:
        """Whether the key speaks for this framework."""
        found = self.meaning(key)
        if found is None:
            return False
        beyond = found[0] - len(self.names)
        row = self.rewritten(key) if beyond < 0 else self.patterns[beyond][0]
        return row not in self.plain

    def rewritten(self, key: str) -> str:
        """The key as the tables have it."""
        for pattern, start in self._starts:
            match = pattern.match(key)
            if match is not None:
                key = start + key[match.end() :]
        return key

    def algorithm_of(self, configured: str, keys: Collection[str]) -> str:
        """The algorithm, among those under which some keys have another meaning: as configured, else from the keys."""
        named = (name for name in self.algorithms if configured.startswith(name))
        told = (name for key, name in self.tells.items() if key in keys)
        return next(named, "") or next(told, "")

    @cached_property
    def _ranks(self) -> Mapping[str, int]:
        return {name: rank for rank, name in enumerate(self.names)}

    @cached_property
    def _compiled(self) -> list[tuple[re.Pattern[str], Alias]]:
        return [(re.compile(pattern), alias) for pattern, alias in self.patterns]

    @cached_property
    def _starts(self) -> list[tuple[re.Pattern[str], str]]:
        return [(re.compile(pattern), start) for pattern, start in self.rewrites]

    @cached_property
    def _ignored(self) -> re.Pattern[str]:
        return re.compile("|".join((_PLUMBING, *self.ignore)))


# what trackers and trainers add to every row to keep it in its place
_PLUMBING = r"_(?:step|runtime|timestamp|wandb.*)|(?i:(?:train/)?(?:(?:global_?)?step|epoch)|iteration|timestamp)"


def _expand_metric(match: re.Match[str], metric: str) -> str:
    return match.expand(metric).lower().replace(" ", "_")
