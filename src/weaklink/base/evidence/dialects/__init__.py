"""Native metric names of each framework and what they mean here: one framework a file.

A `Dialect` maps native keys to the vocabulary, with the sign and scale that make them mean the same. The same name
can mean different things (SB3's `entropy_loss` is minus the entropy, RLlib's `entropy` is the entropy), so a log is
first recognised as one framework's (`recognise`), and only then read (`translations`). Keys that its dialect does not
know are tried in the common one, where a name means what most people mean by it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from importlib import import_module

from weaklink.base.evidence.config import Config, family_of

MEAN_LOG_RATIO = "mean log-ratio, can fall below 0"
"""Aggregation of a KL estimated as the mean of old minus new log-probability: unbiased, but negative at times."""

PER_EPISODE = "one episode each"
"""Aggregation of a series that has one point an episode."""


@dataclass(frozen=True, slots=True)
class Alias:
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


@dataclass(frozen=True)
class Dialect:
    """One framework's native names.

    Args:
        framework: the framework as users call it.
        names: native key to alias, matched exactly; where several keys of a log mean the same metric, the one that
            stands first here is taken.
        patterns: pairs of a regular expression and an alias whose metric may use the groups, for keys with a
            changing part (`rewards/(.+)/mean`).
        marks: keys of which any one tells the framework for certain.
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
    marks: tuple[str, ...] = ()
    axis: str = "env_steps"
    ignore: tuple[str, ...] = ()
    algorithms: Mapping[str, Mapping[str, Alias]] = field(default_factory=dict)
    tells: Mapping[str, str] = field(default_factory=dict)
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
                return rank, replace(alias, metric=_expanded(match, alias.metric))
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


def _expanded(match: re.Match[str], metric: str) -> str:
    return match.expand(metric).lower().replace(" ", "_")


# in the order in which a tie is settled: the more peculiar the names, the earlier
FRAMEWORKS = (
    "sb3",
    "cleanrl",
    "rllib",
    "skrl",
    "tianshou",
    "rsl_rl",
    "rl_games",
    "ml_agents",
    "spinningup",
    "trl",
    "verl",
    "openrlhf",
    "pufferlib",
    "torchrl",
    "diagnostics",
    "weaklink",
)


@cache
def dialect(framework: str) -> Dialect:
    """The dialect of a framework, or the common one."""
    return import_module(f"weaklink.base.evidence.dialects.{framework}").DIALECT  # type: ignore[no-any-return]


def dialects() -> Iterator[Dialect]:
    """Every framework's dialect, in the order in which a tie is settled."""
    return (dialect(name) for name in FRAMEWORKS)


def recognise(keys: Collection[str]) -> Dialect:
    """The dialect that most of these keys speak for, certain marks before all; the common one if none does."""
    marks = {candidate.framework: sum(1 for key in candidate.marks if key in keys) for candidate in dialects()}
    most = max(marks.values())
    candidates = [candidate for candidate in dialects() if marks[candidate.framework] == most]
    if most and len(candidates) == 1:
        return candidates[0]
    best, most_keys = dialect("common"), 0
    for candidate in candidates:
        count = sum(1 for key in keys if candidate.telling(key))
        if count > most_keys:
            best, most_keys = candidate, count
    return best


def translations(speaks: Dialect, keys: Collection[str], config: Config) -> dict[str, Alias]:
    """What the keys of a log mean, with at most one key for each metric.

    Where several keys mean the same, the framework's own come before the common ones, and earlier rows of a table
    before later ones. A key whose hyper-parameter to divide by is not known has no meaning: its size is arbitrary.
    """
    common = dialect("common")
    algorithm = speaks.algorithm_of(config.algorithm, keys)
    own = {key: found for key in keys if (found := speaks.meaning(key, algorithm)) is not None}
    family = family_of(config, {alias.metric for _, alias in own.values()})
    if speaks is common:
        own = {}
    rest = {key: found for key in keys if key not in own and (found := common.meaning(key, family)) is not None}
    ranked = sorted((source, rank, key) for source, found in enumerate((own, rest)) for key, (rank, _) in found.items())
    chosen: dict[str, Alias] = {}
    taken = {UNNAMED.metric}
    for source, _, key in ranked:
        alias = _divided((own, rest)[source][key][1], config)
        if alias is not None and alias.metric not in taken:
            chosen[key] = alias
            taken.add(alias.metric)
    return chosen


def _divided(alias: Alias, config: Config) -> Alias | None:
    if not alias.divide_by:
        return alias
    factor = config.number(alias.divide_by)
    return replace(alias, scale=alias.scale / factor, divide_by="") if factor else None
