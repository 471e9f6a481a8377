"""What `weaklink report` shows of runs and of cases, and where it was put."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from weaklink.base.errors import UsageError
from weaklink.cli.browser import opened
from weaklink.cli.options import Format, page_is_there
from weaklink.cli.output import complain
from weaklink.cli.reporting import BAD_INPUT, reported
from weaklink.judge.diagnosis.settings import Settings

CASE = "case.json"


def reported_pages(paths: Sequence[str], format: Format, output: str, settings: Settings, show: bool) -> int:
    """Judges what the paths hold and writes the report; the exit code."""
    if show and format is not Format.HTML:
        raise UsageError(f"--open opens a page, and --format {format.value} makes none. Leave one of the two out.")
    page_is_there(format)
    cases = [path for path in paths if (Path(path) / CASE).is_file()]
    if cases and len(paths) > 1:
        raise UsageError(f"{cases[0]} is the folder of a case, which is reported on alone: name nothing beside it.")
    if cases:
        from weaklink.cli.debugging import show_case

        show_case(Path(cases[0]), format, output)
        written, code = True, 0
    else:
        reporting = reported(paths, format, output, settings)
        written = reporting.written
        code = BAD_INPUT if reporting.failed else 0
    if output and written:
        _announce(output, show)
    return code


def _announce(output: str, show: bool) -> None:
    file = Path(output).resolve()
    print(f"weaklink: the report is {output} ({file.stat().st_size / 1e6:.2f} MB)", file=sys.stderr)
    if show and not opened(file.as_uri()):
        complain("no browser could be opened from here: open the file yourself.")
