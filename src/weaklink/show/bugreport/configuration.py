"""Hyper-parameters and seeds: numbers, switches and short names, and nothing that could be anybody's secret."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from weaklink.base.evidence.config import find_canonical_name, parse_value
from weaklink.show.bugreport.pen import MarkdownPen, fold_lines
from weaklink.show.redaction import is_private
from weaklink.verbs.bugreport import ReportMaterial

_NAME = re.compile(r"[\w.-]{1,60}|[\w.-]{1,30}(?:[/:][\w.-]{1,30}){1,2}")
_DEEPEST = 3


def write_lines(material: ReportMaterial, pen: MarkdownPen) -> Iterator[str]:
    """Seeds, what weaklink knows by name, and behind a fold the rest."""
    seeds = list(_list_seeds(material))
    if seeds:
        yield from (
            "",
            f"Seeds: {', '.join(f'{pen.code(name)} {pen.plain(value)}' for name, value in seeds[: pen.most])}",
        )
    else:
        yield from ("", "Seeds: none was found in the configuration.")
    known, rest = _split(material.config.raw or material.config.values)
    if known:
        rows = [(pen.code(name), pen.code(value)) for name, value in known]
        yield from pen.table(("hyper-parameter", "value"), rows)
    elif not rest:
        yield from ("", "No hyper-parameters were found beside or inside the log.")
    if rest:
        rows = [(pen.code(name), pen.code(value)) for name, value in rest]
        yield from fold_lines("The rest of the configuration", pen.table(("name", "value"), rows))


def _split(raw: Mapping[str, Any]) -> tuple[list[tuple[str, Any]], list[tuple[str, Any]]]:
    known: list[tuple[str, Any]] = []
    rest: list[tuple[str, Any]] = []
    for name, value in raw.items():
        if is_private(str(name)) or not is_harmless(value) or "seed" in str(name).lower():
            continue
        (known if find_canonical_name(str(name)) else rest).append((str(name), value))
    return known, rest


def is_harmless(value: Any, depth: int = 0) -> bool:
    """Whether a value may be shown: a number, a switch, nothing, a name without a path, or a short list of these."""
    if value is None or isinstance(value, bool | int | float):
        return True
    if isinstance(value, str):
        return bool(_NAME.fullmatch(value.strip())) and not value.strip().startswith(("/", "~"))
    if isinstance(value, list | tuple) and depth < _DEEPEST:
        return len(value) <= 16 and all(is_harmless(each, depth + 1) for each in value)
    return False


def _list_seeds(material: ReportMaterial) -> Iterator[tuple[str, Any]]:
    told = material.context.get("seeds")
    found: dict[str, Any] = {**(told if isinstance(told, Mapping) else {})}
    for name, value in material.config.raw.items():
        if "seed" in re.split(r"[^a-z]+", str(name).lower()):
            found.setdefault(str(name), parse_value(value))
    for name, value in found.items():
        if isinstance(value, int | float | list | tuple) and is_harmless(value):
            yield name, value
