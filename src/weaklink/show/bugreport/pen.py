"""How words that came from elsewhere are written down: cleaned, redacted, cut, and only then escaped.

The order matters. A token that was escaped or cut in two is not recognised any more.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from weaklink.show.allowing import allow_name
from weaklink.show.redaction import Redaction
from weaklink.show.renderers.markdown import write_rows
from weaklink.show.text import clean, escape_prose, format_code, shorten

LONGEST_READ = 3_000
LONGEST_PROSE, LONGEST_NAME, LONGEST_LINE = 700, 90, 300


class MarkdownPen:
    """Writes what strangers may read; `most` bounds every list, so that the whole stays short enough."""

    def __init__(self, redact: Redaction, most: int) -> None:
        self._redact = redact
        self.most = most

    def plain(self, text: object, longest: int = LONGEST_LINE) -> str:
        """A text for a block of code: nothing in it can end the block."""
        shown = self._redact(clean(_shorten(str(text)))).replace("```", "'''")
        return shorten(shown, longest)

    def prose(self, text: object) -> str:
        """A sentence."""
        shown = shorten(self._redact(clean(_shorten(str(text)))), LONGEST_PROSE)
        return escape_prose(shown if shown.count("`") % 2 == 0 else shown.replace("`", "'"))

    def code(self, text: object) -> str:
        """A name or a value."""
        return format_code(self.plain(text, LONGEST_NAME))

    def name(self, text: object) -> str:
        """A name that somebody gave, as code: of it only the known words are left."""
        return self.code(allow_name(clean(_shorten(str(text)))))

    def table(self, head: Sequence[str], rows: Sequence[Sequence[str]], right: Iterable[int] = ()) -> Iterator[str]:
        """Rows under their heads, as many as there is room for."""
        yield from ("", *write_rows(head, rows[: self.most], right=right), *self.rest(len(rows)))

    def rest(self, count: int) -> Iterator[str]:
        """How many of a list were left out."""
        if count > self.most:
            yield from ("", f"({count - self.most:,} more are left out.)")


def _shorten(text: str) -> str:
    """The beginning of a very long text; the word that the cut went through is dropped with the rest."""
    if len(text) <= LONGEST_READ:
        return text
    return text[:LONGEST_READ].rpartition(" ")[0] or "(a long text)"


def fold_lines(title: str, lines: Iterable[str]) -> Iterator[str]:
    """Lines that are shown when somebody asks for them; nothing where there are none."""
    inside = list(lines)
    while inside and not inside[0]:
        inside.pop(0)
    if inside:
        yield from ("", "<details>", f"<summary>{title}</summary>", "", *inside, "", "</details>")


def fence_lines(lines: Iterable[str], language: str = "") -> Iterator[str]:
    """Lines as they are."""
    yield from ("", f"```{language}", *lines, "```")
