"""A sweep as evidence: what each configuration set, and where its runs broke first. Seeds are no settings."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from weaklink.base.evidence.config import ALIASES
from weaklink.base.evidence.fleet import strip_seed

SETTINGS_MOST = 400
"""Settings that are looked at; of more, those that most runs have."""

IDENTITY = frozenset((
    "id", "uid", "uuid", "guid", "path", "paths", "dir", "dirs", "directory", "folder", "file", "files", "logdir",
    "time", "date", "timestamp", "datetime", "host", "hostname", "node", "pid", "port", "user", "entity", "project",
    "notes", "note", "tags", "tag", "comment", "description", "commit", "sha", "url", "uri", "job", "index", "track",
))  # fmt: skip
"""Last words of names that tell runs apart without changing what is trained."""

Value = bool | float | str


@dataclass(frozen=True, slots=True)
class SweptRun:
    """One run: its settings, its seed, and the link and the code of its first break, empty where nothing broke."""

    settings: Mapping[str, bool | int | float | str]
    seed: str = ""
    link: str = ""
    code: str = ""


@dataclass(frozen=True)
class Sweep:
    """Runs that share all settings but the seed are one configuration: they are no independent witnesses.

    `names` are the settings that differ between runs, `values` those of each configuration in this order, None where
    one is not set, and `members` the runs of each configuration.
    """

    names: tuple[str, ...] = ()
    values: tuple[tuple[Value | None, ...], ...] = ()
    members: tuple[tuple[SweptRun, ...], ...] = field(default=())

    @classmethod
    def of(cls, runs: Iterable[SweptRun]) -> Sweep:
        """Groups runs by what they set."""
        known = list(runs)
        names = _find_varying(known)
        groups: dict[tuple[Value | None, ...], list[SweptRun]] = {}
        for run in known:
            values = tuple(_make_comparable(run.settings.get(name)) for name in names)
            groups.setdefault(values, []).append(run)
        return cls(names, tuple(groups), tuple(map(tuple, groups.values())))

    def __len__(self) -> int:
        return len(self.members)

    @property
    def runs(self) -> int:
        """How many runs there are."""
        return sum(map(len, self.members))

    def count_split(self) -> tuple[int, int]:
        """Of how many configurations there are several runs, and in how many of these some broke and others not."""
        several = [runs for runs in self.members if len(runs) > 1]
        return len(several), sum(0 < sum(bool(run.link) for run in runs) < len(runs) for runs in several)


def is_setting(name: str) -> bool:
    """Whether a name of a configuration says what is trained, and not which run it is, where or when."""
    words = re.findall(r"[a-z]+", name.lower())
    return (name in ALIASES and name != "seed") or (bool(words) and "seed" not in words and words[-1] not in IDENTITY)


def _find_varying(runs: list[SweptRun]) -> tuple[str, ...]:
    """The settings that at least two runs have different values of; texts that differ from run to run are names."""
    counted = Counter(name for run in runs for name in run.settings if is_setting(name))
    found = []
    for name, _ in counted.most_common(SETTINGS_MOST):
        values = Counter(_make_comparable(run.settings.get(name)) for run in runs)
        texts = [value for value in values if isinstance(value, str)]
        repeated = not texts or any(values[text] > 1 for text in texts)
        if len(values) > 1 and repeated:
            found.append(name)
    return tuple(sorted(found))


def _make_comparable(value: bool | int | float | str | None) -> Value | None:
    if isinstance(value, str):
        return strip_seed(value)
    if isinstance(value, bool) or value is None:
        return value
    try:
        return float(value)
    except OverflowError:
        return str(value)
