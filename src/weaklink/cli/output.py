"""Where a result goes: a terminal, a pipe or a file."""

from __future__ import annotations

import contextlib
import io
import os
import shutil
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, TextIO

from weaklink.base.errors import UsageError
from weaklink.show.layout import Page
from weaklink.show.text import clean

if TYPE_CHECKING:
    from weaklink.show.page.blocks import Document
    from weaklink.show.page.blocks import Page as Shown

PLAIN_WIDTH, WIDEST = 80, 100


class Output:
    """Standard output, or a file that is made when the first word is written into it.

    `document` is for JSON, Markdown and HTML, which are UTF-8 wherever they go.
    """

    def __init__(self, file: str = "", *, document: bool = False) -> None:
        self._file = file
        self._mode = "w"
        self._stream: TextIO | None = None if file else sys.stdout
        if file:
            _check_folder(file)
        elif isinstance(sys.stdout, io.TextIOWrapper):
            sys.stdout.reconfigure(encoding="utf-8" if document else None, errors="replace")

    @property
    def terminal(self) -> bool:
        """Whether a person is watching."""
        return not self._file and self._stream is not None and self._stream.isatty()

    @property
    def closed(self) -> bool:
        """Whether the reader of a pipe went away."""
        return not self._file and self._stream is None

    def page(self, *, one_line_each: bool = False) -> Page:
        """An empty page of the right width; `one_line_each` never wraps where no person is watching."""
        if not self.terminal:
            return Page(10_000 if one_line_each else PLAIN_WIDTH, unicode=self._unicode)
        return Page(min(shutil.get_terminal_size().columns, WIDEST), unicode=self._unicode)

    @property
    def _unicode(self) -> bool:
        encoding = "utf-8" if self._file else getattr(self._stream, "encoding", None) or ""
        return encoding.lower().startswith("utf")

    def show(self, page: Page) -> None:
        """Writes a page, in colour where a terminal shows it."""
        if not self.terminal:
            self.write(page.plain())
            return
        from rich.console import Console

        console = Console(file=self._stream, highlight=False)
        with self._quiet_when_closed():
            console.print(page.coloured(), end="", soft_wrap=True)

    def show_page(self, page: Shown) -> None:
        """Writes a page for a browser: one file that holds everything it needs."""
        from weaklink.show.page.document import document

        self.show_document(document([page]))

    def show_document(self, document: Document) -> None:
        """Writes pages for a browser."""
        from weaklink.show.page.file import html

        self.write(html(document))

    def write(self, text: str) -> None:
        """Writes text as it is. A reader that went away is no error."""
        with self._quiet_when_closed():
            if self._file:
                with open(self._file, self._mode, encoding="utf-8", errors="replace") as file:
                    file.write(text)
                self._mode = "a"
            elif self._stream is not None:
                self._stream.write(text)
                self._stream.flush()

    @contextlib.contextmanager
    def _quiet_when_closed(self) -> Iterator[None]:
        try:
            yield
        except BrokenPipeError:
            self._stream = None
            with contextlib.suppress(OSError, AttributeError):  # python flushes once more when it ends
                os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        except OSError as error:
            raise UsageError(f"Cannot write {self._file or 'the result'}: {error.strerror or error}.") from None


def complain(message: str) -> None:
    """Says on standard error what is wrong with the use of weaklink."""
    print(f"weaklink: {clean(message)}", file=sys.stderr)


def _check_folder(file: str) -> None:
    folder = os.path.dirname(file) or "."
    if not os.path.isdir(folder):
        raise UsageError(f"Cannot write {file}: there is no folder {folder}. Make it first.")
    if os.path.isdir(file):
        raise UsageError(f"Cannot write {file}: it is a folder. Name a file inside it.")
