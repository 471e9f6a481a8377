"""Hyper-parameters and seeds: known names with numbers, switches and known words, and nothing else."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from weaklink.base.evidence.config import find_canonical_name, parse_value
from weaklink.show.allowing import allow_setting
from weaklink.show.bugreport.pen import MarkdownPen
from weaklink.show.text import count_noun
from weaklink.verbs.bugreport import ReportMaterial


def write_lines(material: ReportMaterial, pen: MarkdownPen) -> Iterator[str]:
    """Seeds, then what is known by name, and how much was left out."""
    seeds = list(_list_seeds(material))
    if seeds:
        yield from (
            "",
            f"Seeds: {', '.join(f'{pen.code(name)} {pen.plain(value)}' for name, value in seeds[: pen.most])}",
        )
    else:
        yield from ("", "Seeds: none was found in the configuration.")
    raw = _find_settings(material)
    rows = [(pen.code(name), pen.code(shown)) for name, shown in _list_allowed(raw)]
    if rows:
        yield from pen.table(("hyper-parameter", "value"), rows)
    elif not raw:
        yield from ("", "No hyper-parameters were found beside or inside the log.")
    left = len(raw) - len(rows)
    if left > 0:
        yield from (
            "",
            f"{count_noun(left, 'setting')} left out: only known names with numbers and known words are shown.",
        )


def _find_settings(material: ReportMaterial) -> dict[str, Any]:
    raw = material.config.raw or material.config.values
    return {str(name): value for name, value in raw.items() if "seed" not in str(name).lower()}


def _list_allowed(raw: Mapping[str, Any]) -> list[tuple[str, str]]:
    """What weaklink knows by name first, then the rest in its order."""
    shown = [(name, text) for name, value in raw.items() if (text := allow_setting(name, value)) is not None]
    return sorted(shown, key=lambda row: find_canonical_name(row[0]) is None)


def _list_seeds(material: ReportMaterial) -> Iterator[tuple[str, Any]]:
    told = material.context.get("seeds")
    found: dict[str, Any] = {**(told if isinstance(told, Mapping) else {})}
    for name, value in material.config.raw.items():
        if "seed" in re.split(r"[^a-z]+", str(name).lower()):
            found.setdefault(str(name), parse_value(value))
    for name, value in found.items():
        if isinstance(value, int | float | list | tuple) and allow_setting(str(name), value) is not None:
            yield name, value
