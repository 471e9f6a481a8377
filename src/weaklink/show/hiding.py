"""A document as others may see it: without secrets and names of people, teams, projects and machines.

A page is looked at by its owner first, so names of metrics stay as long as they give nobody away. Of settings, known
words stay, and numbers under any name that is no secret.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import TypeVar

import msgspec

from weaklink.base.evidence.config import parse_value
from weaklink.base.outside.versions import list_own_names
from weaklink.base.privacy import COMMITS, is_private, is_secret, split_name
from weaklink.show.allowing import allow_arguments, allow_name, find_private_names
from weaklink.show.document import Chart, Document, Page, Section, Table, TableRow
from weaklink.show.redaction import HIDDEN, Redaction, make_redaction
from weaklink.show.triage import Triage

REFERENCES = frozenset(("id", "axis", "chart", "anchor", "page"))
"""Fields that point at something of the same document."""
COMMIT_SHOWN = 12
BETWEEN = ", "
"""What stands between the parts of a list that is shown as a setting."""

_Struct = TypeVar("_Struct", bound=msgspec.Struct)


def hide_in_document(document: Document) -> Document:
    """The document fit for other eyes."""
    sections = [*document.together, *(section for page in document.pages for section in page.sections)]
    return _Hider(sections).hide(document)


def hide_in_page(page: Page) -> Page:
    """One page fit for other eyes."""
    return _Hider(page.sections).hide(page)


def hide_in_part(part: _Struct, pages: Iterable[Page]) -> _Struct:
    """What stands around pages, without the names that these give away."""
    return _Hider([section for page in pages for section in page.sections]).hide(part)


class _Hider:
    """Knows the names that the settings in some sections give away."""

    def __init__(self, sections: Iterable[Section]) -> None:
        blocks = [block for section in sections for block in section.blocks]
        rows = [row.cells for block in blocks if isinstance(block, Table) and block.settings for row in block.rows]
        settings = {cells[0]: cells[1] for cells in rows if len(cells) > 1}
        command = settings.get("command", "").split(BETWEEN)
        names = {*_list_own_names(), *find_private_names(settings, {"command": command})}
        self._redact = cache(_make_redaction(frozenset(names)))  # pages of a fleet say much alike
        self._new_ids = dict(self._rename_charts(block for block in blocks if isinstance(block, Chart)))

    def _rename_charts(self, charts: Iterable[Chart]) -> Iterator[tuple[str, str]]:
        """A chart's id is made of its name: where that is hidden, the id is another too."""
        for number, chart in enumerate(charts):
            named = (chart.title, *(line.name for line in chart.lines))
            if any(self._redact(name) != name for name in named):
                yield chart.id, f"hidden-{number}"

    def hide(self, struct: _Struct) -> _Struct:
        """A struct with every text in it redacted."""
        changed: dict[str, object] = {}
        for name in struct.__struct_fields__:
            before = getattr(struct, name)
            after = self._new_ids.get(before, before) if name in REFERENCES else self._hide_value(before)
            if after is not before:
                changed[name] = after
        shown = msgspec.structs.replace(struct, **changed) if changed else struct
        if isinstance(struct, Triage) and isinstance(shown, Triage):
            return msgspec.structs.replace(shown, **self._hide_triage(struct, shown))
        if isinstance(shown, Table) and shown.settings and isinstance(struct, Table):
            rows = tuple(map(self._hide_setting, struct.rows))
            return msgspec.structs.replace(shown, rows=rows, settings=False)
        return shown

    def _hide_value(self, value: object) -> object:
        if isinstance(value, str):
            return value if len(value) < 4 or value.isdigit() else self._redact(value)
        if isinstance(value, msgspec.Struct):
            return self.hide(value)
        if isinstance(value, tuple | list):
            parts = tuple(map(self._hide_value, value))
            return value if all(new is old for new, old in zip(parts, value, strict=True)) else parts
        if isinstance(value, Mapping):
            return {key: self._hide_value(one) for key, one in value.items()}
        return value

    def _hide_triage(self, before: Triage, after: Triage) -> dict[str, object]:
        """The fields with settings, of which texts are hidden as in any table of settings."""
        groups = []
        for group, shown in zip(before.groups, after.groups, strict=True):
            values = (
                tuple(self._redact(allow_shown(*pair)) for pair in zip(before.settings, row.values, strict=True))
                for row in group.rows
            )
            rows = tuple(
                msgspec.structs.replace(row, values=each) for row, each in zip(shown.rows, values, strict=True)
            )
            groups.append(msgspec.structs.replace(shown, rows=rows))
        return {"groups": tuple(groups), "settings": tuple(self._redact(allow_name(name)) for name in before.settings)}

    def _hide_setting(self, row: TableRow) -> TableRow:
        name, value, *rest = (*row.cells, "")
        return msgspec.structs.replace(
            row, cells=(self._redact(allow_name(name)), self._redact(allow_shown(name, value)), *rest[:-1])
        )


def allow_shown(name: str, value: str) -> str:
    """A setting as it is written on a page: a number, a commit, known words, and otherwise nothing of it."""
    number = value.removeprefix("over ").removeprefix("at most ")  # of a condition on the setting
    if isinstance(parse_value(number), bool | int | float):
        return HIDDEN if is_secret(name, number) else value
    if COMMITS & split_name(name):
        return value[:COMMIT_SHOWN]
    if is_private(name):
        return HIDDEN
    return BETWEEN.join(allow_arguments(value.split(BETWEEN)))


@cache
def _list_own_names() -> tuple[str, ...]:
    return list_own_names()


@cache
def _make_redaction(names: frozenset[str]) -> Redaction:
    return make_redaction(names, paths=True)
