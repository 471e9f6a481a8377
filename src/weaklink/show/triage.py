"""The list of a fleet's runs on a page: worst first, those with the same diagnosis together, to be filtered."""

from __future__ import annotations

import msgspec


class TriageRow(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One run: its name, its `page` where it has one, its return as a small curve, where that ended, and since when it
    is broken. `values` are those of the settings that the list names, in their order."""

    title: str
    page: str = ""
    curve: tuple[float, ...] = ()
    final: str = ""
    since: str = ""
    values: tuple[str, ...] = ()


class TriageGroup(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Runs with the same diagnosis: what broke first, and the codes of all findings that are no mere information."""

    title: str
    state: str
    codes: tuple[str, ...] = ()
    rows: tuple[TriageRow, ...] = ()


class Triage(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, tag="triage", tag_field="kind"):
    """A block like any other, drawn by the page of a browser alone; `settings` are those that differ between runs."""

    title: str
    groups: tuple[TriageGroup, ...]
    settings: tuple[str, ...] = ()
    note: str = ""
    where: tuple[str, ...] = ()
