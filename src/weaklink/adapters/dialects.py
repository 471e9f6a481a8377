"""In which framework's words a log is written: the dialect is recognised by its keys, then the keys are translated.

The same name can mean different things (SB3's `entropy_loss` is minus the entropy, RLlib's `entropy` is the entropy),
so a log is first recognised as one framework's (`recognise`) and only then read (`translations`). Keys that its dialect
does not know are looked up among the common names, where a name means what most people mean by it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from functools import cache
from importlib import import_module
from numbers import Real
from typing import Any

import msgspec

from weaklink.adapters.framework import list_frameworks
from weaklink.base.evidence.common_names import DIALECT as COMMON
from weaklink.base.evidence.config import Config, infer_family
from weaklink.base.evidence.dialect import UNNAMED, Alias, Dialect

RETURN, LENGTH = "reward.episode_return", "task.episode_length"


@cache
def load_dialect(framework: str) -> Dialect:
    """The dialect of a framework, or the common one."""
    if framework == COMMON.framework:
        return COMMON
    return import_module(f"weaklink.adapters.{framework}.dialect").DIALECT  # type: ignore[no-any-return]


def list_dialects() -> Iterator[Dialect]:
    """Every framework's dialect, in the order in which a tie is settled."""
    return (load_dialect(known.name) for known in list_frameworks() if known.tie)


def recognise(keys: Collection[str]) -> Dialect:
    """The dialect that most of these keys speak for, certain marks before all; the common one if none does."""
    marks = {known.name: sum(1 for key in known.marks if key in keys) for known in list_frameworks() if known.tie}
    most = max(marks.values())
    candidates = [load_dialect(name) for name, count in marks.items() if count == most]
    if most and len(candidates) == 1:
        return candidates[0]
    best: Dialect = COMMON
    most_keys = 0
    for candidate in candidates:
        count = sum(1 for key in keys if candidate.telling(key))
        if count > most_keys:
            best, most_keys = candidate, count
    return best


def translate_keys(speaks: Dialect, keys: Collection[str], config: Config) -> dict[str, Alias]:
    """What the keys of a log mean, with at most one key for each metric.

    Where several keys mean the same, the framework's own come before the common ones, and earlier rows of a table
    before later ones. A key whose hyper-parameter to divide by is not known has no meaning: its size is arbitrary.
    """
    common = COMMON
    algorithm = speaks.algorithm_of(config.algorithm, keys)
    own = {key: found for key in keys if (found := speaks.meaning(key, algorithm)) is not None}
    family = infer_family(config, {alias.metric for _, alias in own.values()})
    if speaks is common:
        own = {}
    rest = {key: found for key in keys if key not in own and (found := common.meaning(key, family)) is not None}
    ranked = sorted((source, rank, key) for source, found in enumerate((own, rest)) for key, (rank, _) in found.items())
    chosen: dict[str, Alias] = {}
    taken = {UNNAMED.metric}
    for source, _, key in ranked:
        alias = _divide_alias((own, rest)[source][key][1], config)
        if alias is not None and alias.metric not in taken:
            chosen[key] = alias
            taken.add(alias.metric)
    if RETURN not in taken:
        chosen.update(_find_returns(keys, chosen))
    return chosen


def _find_returns(keys: Collection[str], chosen: Mapping[str, Alias]) -> dict[str, Alias]:
    """The `returns` that stand beside the lengths of episodes: without those, value targets may be meant."""
    beside = next((key for key, alias in chosen.items() if alias.metric == LENGTH and key.endswith("lengths")), "")
    key = f"{beside.removesuffix('lengths')}returns"
    return {key: Alias(RETURN)} if beside and key in keys and key not in chosen else {}


def _divide_alias(alias: Alias, config: Config) -> Alias | None:
    if not alias.divide_by:
        return alias
    factor = config.number(alias.divide_by)
    return msgspec.structs.replace(alias, scale=alias.scale / factor, divide_by="") if factor else None


def translate_row(framework: str, logs: Mapping[str, Any]) -> dict[str, float]:
    """The numbers of a row of a log under their names in the vocabulary; those without one keep their own."""
    speaks = load_dialect(framework)
    rows: dict[str, tuple[int, float]] = {}
    for key, value in logs.items():
        if isinstance(value, bool) or not isinstance(value, Real) or speaks.ignores(key):
            continue
        known = speaks.meaning(key)
        rank, name, scale = (known[0], known[1].metric, known[1].scale) if known else (0, "", 1.0)
        name, scale = (name, scale) if name else (key, 1.0)
        if name not in rows or rank < rows[name][0]:
            rows[name] = (rank, float(value) * scale)
    return {name: number for name, (_, number) in rows.items()}
