"""Lines of styled text within a width: what is shown on a terminal is written on these.

The same lines become plain text in a pipe or a file and coloured text on a terminal, the one
place where rich is needed.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from itertools import groupby
from typing import TYPE_CHECKING

from weaklink.show.text import clean, make_ascii, shorten

if TYPE_CHECKING:
    from rich.text import Text

Span = tuple[str, str]
"""Some text and its style: a key of STYLES, or empty."""

STYLES = {
    "error": "bold red",
    "warn": "yellow",
    "info": "cyan",
    "broken": "bold white on red",
    "unclear": "bold black on yellow",
    "healthy": "bold black on green",
    "strong": "bold",
    "dim": "dim",
    "curve": "cyan",
    "mark": "bold red",
}

NARROWEST = 40


class TerminalSheet:
    """Lines in the making. Whatever is written on them is cleaned first: much of it came from a log."""

    def __init__(self, width: int = 80, *, unicode: bool = True) -> None:
        self.width = max(NARROWEST, width)
        self.unicode = unicode
        self.lines: list[list[Span]] = []

    def line(self, *spans: Span) -> None:
        """Adds a line as it is."""
        self.lines.append([(clean(text), style) for text, style in spans if text])

    def gap(self) -> None:
        """Adds an empty line, unless there is one or nothing stands above."""
        if self.lines and self.lines[-1]:
            self.lines.append([])

    def text(self, *spans: Span, indent: int = 0, hang: int = 0) -> None:
        """Adds words wrapped to the width; lines after the first stand `hang` further in."""
        words = _split_words((clean(text), style) for text, style in spans)
        for count, line in enumerate(_fill_lines(words, self.width - indent, hang)):
            self.lines.append([(" " * (indent + (hang if count else 0)), ""), *line])

    def heading(self, text: str, note: str = "", *, indent: int = 0) -> None:
        """Begins a part: an empty line, then its title and what is said of it at once."""
        self.gap()
        self.text((text, "strong"), (f"  {note}" if note else "", "dim"), indent=indent, hang=2)

    def table(
        self, head: Sequence[str], rows: Sequence[Sequence[Span]], *, stretch: int, right: Collection[int] = ()
    ) -> None:
        """Adds rows under their heads; the column `stretch` gives way where the width is too small.

        Args:
            head: the names of the columns.
            rows: their cells.
            stretch: the column whose texts are cut in their middle where the width is too small.
            right: the columns that are set to the right.
        """
        shown = [[(clean(text), style) for text, style in row] for row in ([(name, "dim") for name in head], *rows)]
        wide = [max(len(text) for text, _ in column) for column in zip(*shown, strict=True)]
        wide[stretch] = max(8, min(wide[stretch], self.width - sum(wide) - 2 * (len(wide) - 1) + wide[stretch]))
        for row in shown:
            self.line(*_align_cells(row, wide, right, self.ellipsis))

    @property
    def ellipsis(self) -> str:
        """What stands where something was cut."""
        return "…" if self.unicode else "..."

    def plain(self) -> str:
        """The page without colour, in ASCII where nothing more can be shown."""
        text = "\n".join("".join(text for text, _ in line).rstrip() for line in self.lines) + "\n"
        return text if self.unicode else make_ascii(text)

    def coloured(self) -> Text:
        """The page for a rich console."""
        from rich.text import Text

        page = Text()
        for line in self.lines:
            for style, spans in groupby(line, key=lambda span: span[1]):
                text = "".join(text for text, _ in spans)
                page.append(text if self.unicode else make_ascii(text), STYLES.get(style, ""))
            page.append("\n")
        return page


def _align_cells(row: Sequence[Span], wide: Sequence[int], right: Collection[int], ellipsis: str) -> Iterable[Span]:
    for place, ((text, style), width) in enumerate(zip(row, wide, strict=True)):
        shown = shorten(text, width, ellipsis)
        gap = " " * (width - len(shown))
        yield (gap + shown if place in right else shown), style
        yield ("" if place in right else gap) + ("  " if place < len(row) - 1 else ""), ""


Word = tuple[str, list[Span]]
"""The space before a word, and its pieces: a word may change its style halfway."""


def _split_words(spans: Iterable[Span]) -> list[Word]:
    words: list[Word] = [("", [])]
    for text, style in spans:
        for piece in re.findall(r"\s+|\S+", text):
            if piece.isspace():
                words.append((piece, []))
            else:
                words[-1][1].append((piece, style))
    return [word for word in words if word[1]]


def _fill_lines(words: Iterable[Word], width: int, hang: int) -> Iterable[list[Span]]:
    line: list[Span] = []
    used = 0
    for space, pieces in words:
        long = sum(len(text) for text, _ in pieces)
        if line and used + len(space) + long > width:
            yield line
            line, used = [], hang
        if line:
            line.append((space, line[-1][1] if line[-1][1] == pieces[0][1] else ""))
            used += len(space)
        line.extend(pieces)
        used += long
    if line:
        yield line
