"""What of a page each renderer shows."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from weaklink.show.document import WHOLE, Page, Section


def select_sections(sections: Sequence[Section], renderer: str, view: str = WHOLE) -> tuple[Section, ...]:
    """The sections that a renderer shows, with the blocks that it shows; those with nothing on them are left out."""
    shown = []
    for section in sections:
        if renderer in (section.where or (renderer,)) and section.view in ("", view):
            blocks = tuple(block for block in section.blocks if renderer in (block.where or (renderer,)))
            shown.append(msgspec.structs.replace(section, blocks=blocks))
    return tuple(section for section in shown if section.blocks or section.note)


def select_leading(
    sections: Sequence[Section], renderer: str, view: str = WHOLE
) -> tuple[list[Section], list[Section]]:
    """The sections that a renderer shows: those that stand before the findings, and the others."""
    shown = select_sections(sections, renderer, view)
    return [one for one in shown if one.leads], [one for one in shown if not one.leads]


def select_page(page: Page, renderer: str) -> Page:
    """The page with what a renderer shows of it."""
    return msgspec.structs.replace(page, sections=select_sections(page.sections, renderer))


def find_target(page: Page) -> str:
    """What was judged: a path, an environment, a trainer."""
    return next((value for name, value in page.facts if name == "from"), page.title)
