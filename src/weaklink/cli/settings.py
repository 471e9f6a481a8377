"""What to ask, with which thresholds and names: from the nearest weaklink.toml or pyproject.toml, then the options."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import msgspec

from weaklink.base.backports import parse_toml
from weaklink.base.errors import UsageError
from weaklink.base.evidence.config import parse_value
from weaklink.base.evidence.naming import check_metric
from weaklink.base.limits import LARGEST_CONFIG, read_bounded
from weaklink.base.patterns import compile_late
from weaklink.cli.options import FailOn
from weaklink.judge.diagnosis.settings import RuleSettings, parse_threshold
from weaklink.judge.rules._registry import find_rule

FILES = {"weaklink.toml": (), "pyproject.toml": ("tool", "weaklink")}
"""The files that hold settings, and the tables that they stand in; of two in one folder the first counts."""

MAY_BE_HERE = compile_late(rb"""\btool["'\s]*(?:\.["'\s]*weaklink\b|[]=])""")
"""In a pyproject.toml that holds settings: `[tool.weaklink]`, or a table or a key `tool`."""

KEYS = ("select", "ignore", "fail-on", "map")

Thresholds = dict[str, dict[str, Any]]


class WrittenSettings(msgspec.Struct):
    """What a settings file says."""

    select: list[str] = []
    ignore: list[str] = []
    fail_on: FailOn = FailOn.WARN
    thresholds: Thresholds = {}
    names: dict[str, str] = {}


def gather_settings(
    select: Iterable[str], ignore: Iterable[str], thresholds: Iterable[str], fail_on: FailOn | None
) -> tuple[RuleSettings, FailOn]:
    """The settings in force: what the command line gives wins over the file."""
    written = read_settings(Path.cwd())
    asked: Thresholds = {code: dict(values) for code, values in written.thresholds.items()}
    for text in thresholds:
        code, name, value = parse_threshold(text)
        asked.setdefault(find_rule(code).code, {})[name] = value
    chosen, left_out = _require_codes("--select", select), _require_codes("--ignore", ignore)
    settings = RuleSettings.of(chosen or written.select, left_out or written.ignore, asked)
    return settings, fail_on or written.fail_on


def gather_names(given: Iterable[str]) -> dict[str, str]:
    """What keys of logs hold: what the command line says wins over the file."""
    named = dict(read_settings(Path.cwd()).names)
    for text in given:
        key, equals, metric = text.rpartition("=")
        if not equals or not key.strip():
            raise UsageError(f"--map takes KEY=METRIC, such as --map ret=reward.episode_return, not '{text}'.")
        named[key.strip()] = check_metric(metric.strip())
    return named


def read_settings(start: Path) -> WrittenSettings:
    """The settings of the nearest folder that has some, from a folder upwards."""
    for folder in (start, *start.parents):
        for name, tables in FILES.items():
            file = folder / name
            table = _read_table(file, tables)
            if table is not None:
                try:
                    return _read(table)
                except UsageError as error:
                    place = f", [{'.'.join(tables)}]" if tables else ""
                    raise UsageError(f"{file}{place}: {error}") from None
    return WrittenSettings()


def parse_pairs(option: str, texts: Iterable[str], example: str) -> dict[str, Any]:
    """`NAME=VALUE` texts taken apart, values as they read: numbers, lists, words."""
    found = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or not name.strip():
            raise UsageError(f"{option} takes NAME=VALUE, such as {option} {example}, not '{text}'.")
        found[name.strip()] = parse_value(value.strip())
    return found


def _read_table(file: Path, tables: tuple[str, ...]) -> Mapping[str, Any] | None:
    """The table of a file that holds settings, None where the file or the table is not there."""
    try:
        content = read_bounded(file, LARGEST_CONFIG, file.name, "Move what is large elsewhere.")
    except OSError:
        return None
    if tables and not MAY_BE_HERE.search(content):
        return None  # most files: spared the parsing
    try:
        table: object = parse_toml(content.decode("utf-8", "replace"))
    except (ValueError, RecursionError) as error:  # RecursionError: tables inside of tables without end
        raise UsageError(f"{file} is no valid TOML: {error}.") from None
    for name in tables:
        table = table.get(name) if isinstance(table, Mapping) else None
    if table is not None and not isinstance(table, Mapping):
        raise UsageError(
            f"{file}: {'.'.join(tables)} must be a table, not {table!r}. Begin it with a line [{'.'.join(tables)}]."
        )
    return table


def _read(table: Mapping[str, Any]) -> WrittenSettings:
    written = WrittenSettings()
    for key, value in table.items():
        if key in ("select", "ignore"):
            setattr(written, key, _parse_codes(key, value))
        elif key == "fail-on":
            written.fail_on = _parse_level(value)
        elif key == "map":
            written.names = _parse_names(value)
        elif isinstance(value, Mapping):
            rule = find_rule(key)
            written.thresholds[rule.code] = rule.checked(value)
        else:
            raise UsageError(f"there is no key '{key}'. It takes {', '.join(KEYS)} and a table for each rule to set.")
    RuleSettings.of(written.select, written.ignore)
    return written


def _parse_codes(key: str, value: object) -> list[str]:
    if isinstance(value, str):
        return _split_codes([value])
    if isinstance(value, list) and all(isinstance(word, str) for word in value):
        return _split_codes(value)
    raise UsageError(f"{key} takes a list of codes, such as ['POL', 'EXP301'], not {value!r}.")


def _parse_names(value: object) -> dict[str, str]:
    if not isinstance(value, Mapping) or not all(isinstance(metric, str) for metric in value.values()):
        raise UsageError(
            f"map takes a table of keys and metrics, such as ret = 'reward.episode_return', not {value!r}."
        )
    return {str(key): check_metric(metric) for key, metric in value.items()}


def _parse_level(value: Any) -> FailOn:
    try:
        return FailOn(value)
    except ValueError:
        known = ", ".join(level.value for level in FailOn)
        raise UsageError(f"fail-on takes one of {known}, not {value!r}.") from None


def _require_codes(option: str, words: Iterable[str]) -> list[str]:
    """The codes given to an option, which must be some where it is given at all."""
    given = list(words)
    codes = _split_codes(given)
    if given and not codes:
        raise UsageError(f"{option} takes codes, families or names of rules, such as POL,EXP301, and was given none.")
    return codes


def _split_codes(words: Iterable[str]) -> list[str]:
    """Comma lists and repeated words as one list."""
    return [code.strip() for word in words for code in word.split(",") if code.strip()]
