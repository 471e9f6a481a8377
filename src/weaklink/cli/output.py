"""Where a result goes: a terminal, a pipe or a file."""

from __future__ import annotations

import contextlib
import io
import os
import shutil
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, TextIO

from weaklink.base.errors import UsageError
from weaklink.show.layout import TerminalSheet
from weaklink.show.text import clean

if TYPE_CHECKING:
    from weaklink.cli.options import OutputFormat

PLAIN_WIDTH, WIDEST = 80, 100


class OutputStream:
    """Standard output, or a file that is made when the first word is written into it.

    `document` is for JSON, Markdown and HTML, which are UTF-8 wherever they go. `aside` is for standard error, where
    standard output belongs to somebody else.
    """

    def __init__(self, file: str = "", *, document: bool = False, aside: bool = False) -> None:
        self._file = file
        self._mode = "w"
        stream = sys.stderr if aside else sys.stdout
        self._stream: TextIO | None = None if file else stream
        if file:
            _check_folder(file)
        elif isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8" if document else None, errors="replace")

    @property
    def terminal(self) -> bool:
        """Whether a person is watching."""
        return not self._file and self._stream is not None and self._stream.isatty()

    @property
    def closed(self) -> bool:
        """Whether the reader of a pipe went away."""
        return not self._file and self._stream is None

    def sheet(self, *, one_line_each: bool = False) -> TerminalSheet:
        """An empty sheet of the right width; `one_line_each` never wraps where no person is watching."""
        if not self.terminal:
            wide = 10_000 if one_line_each else _read_columns() or PLAIN_WIDTH
            return TerminalSheet(wide, unicode=self._unicode)
        return TerminalSheet(_read_columns() or min(shutil.get_terminal_size().columns, WIDEST), unicode=self._unicode)

    @property
    def _unicode(self) -> bool:
        encoding = "utf-8" if self._file else getattr(self._stream, "encoding", None) or ""
        return encoding.lower().startswith("utf")

    def show(
        self,
        result: object,
        format: OutputFormat,
        *,
        one_line_each: bool = False,
        show_all: bool = False,
        verbose: bool = True,
        checklists: bool = False,
        **options: Any,
    ) -> None:
        """Writes a result in a format; `options` are those of its subject.

        Args:
            result: what a verb answered.
            format: how it is written.
            one_line_each: never wraps where no person is watching.
            show_all: whether a page shows what is hidden from other eyes.
            verbose: whether a terminal shows all that is known.
            checklists: whether it shows the checklists too.
            options: those of the subject.
        """
        from weaklink.show.document import SHORT, WHOLE
        from weaklink.show.rendering import lay_out, render

        if format.value == "terminal":
            sheet, view = self.sheet(one_line_each=one_line_each), WHOLE if verbose else SHORT
            self.show_sheet(lay_out(result, sheet, view=view, checklists=checklists, **options))
        else:
            self.write(render(result, format.value, show_all=show_all, **options))

    def show_sheet(self, sheet: TerminalSheet) -> None:
        """Writes a sheet, in colour where a terminal shows it or FORCE_COLOR asks for it."""
        if self._file or not (self.terminal or os.environ.get("FORCE_COLOR")):
            self.write(sheet.plain())
            return
        from rich.console import Console

        console = Console(file=self._stream, highlight=False)
        with self._quiet_when_closed():
            console.print(sheet.coloured(), end="", soft_wrap=True)

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
            stream, self._stream = self._stream, None
            with contextlib.suppress(OSError, AttributeError):  # python flushes once more when it ends
                os.dup2(os.open(os.devnull, os.O_WRONLY), (stream or sys.stdout).fileno())
        except OSError as error:
            raise UsageError(f"Cannot write {self._file or 'the result'}: {error.strerror or error}.") from None


def _read_columns() -> int:
    """The width that COLUMNS asks for, 0 where it asks for none."""
    asked = os.environ.get("COLUMNS", "")
    return int(asked) if asked.isdecimal() else 0


def complain(message: str) -> None:
    """Says on standard error what is wrong with the use of weaklink."""
    print(f"weaklink: {clean(message)}", file=sys.stderr)


def _check_folder(file: str) -> None:
    folder = os.path.dirname(file) or "."
    if not os.path.isdir(folder):
        raise UsageError(f"Cannot write {file}: there is no folder {folder}. Make it first.")
    if os.path.isdir(file):
        raise UsageError(f"Cannot write {file}: it is a folder. Name a file inside it.")
