"""Texts side by side: columns where the sheet is wide enough, one below the other where it is not."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from itertools import zip_longest

from weaklink.show.layout import Span, TerminalSheet
from weaklink.show.text import clean, make_ascii, shorten

INDENT = 2
GAP = 2
NARROWEST = 24
"""Columns narrower than this cannot be read."""

LONGEST_LOOK = 4000
"""Of a longer text only the ends are looked at, so that a huge one costs nothing."""


def tidy(text: str, most: int, ellipsis: str = "…") -> str:
    """A text of any kind in one harmless line, cut in its middle."""
    flat = " ".join(clean(shorten(text, LONGEST_LOOK, ellipsis)).split())
    return shorten(flat, most, ellipsis)


def write_columns(sheet: TerminalSheet, cells: Sequence[Sequence[Span]], lines: int) -> None:
    """Adds cells next to each other, each of as many paragraphs, which take at most so many lines."""
    width = (sheet.width - INDENT - GAP * (len(cells) - 1)) // max(len(cells), 1)
    if width < NARROWEST:
        for cell in cells:
            _write_below(sheet, cell, lines)
        return
    for paragraph in zip(*cells, strict=True):
        columns = (_cut_to_lines(sheet, span, width, lines) for span in paragraph)
        for row in zip_longest(*columns, fillvalue=("", "")):
            spans: list[Span] = [(" " * INDENT, "")]
            for text, style in row:
                spans += [(text, style), (" " * (width - measure_width(text) + GAP), "")]
            sheet.line(*spans[:-1])
    sheet.gap()


def _write_below(sheet: TerminalSheet, cell: Sequence[Span], lines: int) -> None:
    for span in cell:
        for text, style in _cut_to_lines(sheet, span, sheet.width - INDENT, lines):
            sheet.line((" " * INDENT, ""), (text, style))
    sheet.gap()


def _cut_to_lines(sheet: TerminalSheet, span: Span, width: int, lines: int) -> list[Span]:
    """A text in at most so many lines: cut in its middle, and further until both its ends fit."""
    text, style = span
    whole = tidy(text, width * lines, sheet.ellipsis)
    whole = whole if sheet.unicode else make_ascii(whole)
    shown, size = list(wrap_text(whole, width)), width * lines
    while len(shown) > lines and size > 1:
        size = size * 9 // 10
        shown = list(wrap_text(shorten(whole, size, sheet.ellipsis), width))
    return [(line, style) for line in shown]


def wrap_text(text: str, width: int) -> Iterator[str]:
    """Lines no broader than the width; a word that is broader than a line is broken."""
    line = ""
    for word in text.split():
        for piece in _break_word(word, width):
            joined = f"{line} {piece}" if line else piece
            if measure_width(joined) <= width:
                line = joined
                continue
            yield line
            line = piece
    if line:
        yield line


def _break_word(word: str, width: int) -> Iterator[str]:
    if measure_width(word) <= width:
        yield word
        return
    piece, used = "", 0
    for character in word:
        wide = measure_width(character)
        if used + wide > width:
            yield piece
            piece, used = "", 0
        piece += character
        used += wide
    yield piece


def measure_width(text: str) -> int:
    """The columns of a terminal that a text takes: two for wide characters, none for marks that join the last."""
    if text.isascii():
        return len(text)
    return sum(_measure_character(character) for character in text)


def _measure_character(character: str) -> int:
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1
