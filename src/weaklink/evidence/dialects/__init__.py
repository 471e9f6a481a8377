"""Native metric names of each framework and what they mean here: one framework a file.

A `Dialect` maps native keys to the vocabulary, with the sign and scale that make them mean the same. The same name
can mean different things (SB3's `entropy_loss` is minus the entropy, RLlib's `entropy` is the entropy), so a log is
first recognised as one framework's, and only then read. Keys that its dialect does not know are tried in the common
one, where a name means what most people mean by it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module


@dataclass(frozen=True, slots=True)
class Alias:
    """What a native key means: the metric, the factor that brings it there, and how it was aggregated.

    `divide_by` names a hyper-parameter that the source has multiplied in (skrl logs its entropy loss times the
    entropy coefficient); `axis` overrides what the log's steps count, where a framework mixes axes.
    """

    metric: str
    scale: float = 1.0
    aggregation: str = ""
    axis: str = ""
    divide_by: str = ""


@dataclass(frozen=True)
class Dialect:
    """One framework's native names.

    Args:
        framework: the framework as users call it.
        names: native key to alias, matched exactly.
        patterns: pairs of a regular expression and an alias whose metric may use the groups, for keys with a
            changing part (`rewards/(.+)/mean`).
        marks: keys of which any one tells the framework for certain.
        axis: what its steps count.
        ignore: native keys that are no metrics (timestamps, identifiers), as regular expressions.
    """

    framework: str
    names: Mapping[str, Alias]
    patterns: tuple[tuple[str, Alias], ...] = ()
    marks: tuple[str, ...] = ()
    axis: str = "env_steps"
    ignore: tuple[str, ...] = ()
    algorithms: Mapping[str, Mapping[str, Alias]] = field(default_factory=dict)

    def alias(self, key: str, algorithm: str = "") -> Alias | None:
        """The meaning of a native key, or None."""
        special = self.algorithms.get(algorithm, {})
        found = special.get(key) or self.names.get(key)
        if found is not None:
            return found
        for pattern, alias in self.patterns:
            match = re.fullmatch(pattern, key)
            if match is not None:
                metric = match.expand(alias.metric).lower().replace(" ", "_")
                return Alias(metric, alias.scale, alias.aggregation, alias.axis, alias.divide_by)
        return None

    def ignores(self, key: str) -> bool:
        """Whether the key is known to be no metric."""
        return any(re.fullmatch(pattern, key) for pattern in self.ignore)


# in the order in which a tie is settled: the more peculiar the names, the earlier
FRAMEWORKS = (
    "sb3",
    "cleanrl",
    "rllib",
    "skrl",
    "tianshou",
    "rsl_rl",
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
    return import_module(f"weaklink.evidence.dialects.{framework}").DIALECT  # type: ignore[no-any-return]


def dialects() -> Iterator[Dialect]:
    """Every framework's dialect, in the order in which a tie is settled."""
    return (dialect(name) for name in FRAMEWORKS)


def recognise(keys: Collection[str]) -> Dialect:
    """The dialect that knows most of these keys, a certain mark counting for more; the common one if none does."""
    best, most = dialect("common"), 0
    for candidate in dialects():
        score = sum(1 for key in keys if candidate.alias(key) is not None)
        score += 100 * sum(1 for key in candidate.marks if key in keys)
        if score > most:
            best, most = candidate, score
    return best
