"""The options that several commands share."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

INTERRUPTED = 130
"""The exit code after Ctrl-C."""


class Format(StrEnum):
    """How a result is shown."""

    TERMINAL = "terminal"
    JSON = "json"
    MARKDOWN = "markdown"


class FailOn(StrEnum):
    """The lowest level of a finding that makes a command exit with 1."""

    INFO = "info"
    WARN = "warn"
    ERROR = "error"
    NEVER = "never"


FormatOption = Annotated[Format, typer.Option("--format", "-f", help="How to show the result.")]
OutputOption = Annotated[
    str,
    typer.Option("--output", "-o", metavar="FILE", help="Write the result into a file instead.", show_default=False),
]
FailOnOption = Annotated[
    FailOn | None,
    typer.Option("--fail-on", help="Exit with 1 from this level of finding on.  [default: warn]", show_default=False),
]
SelectOption = Annotated[
    list[str] | None,
    typer.Option("--select", metavar="CODES", help="Ask only these rules: codes, families (POL) or names."),
]
IgnoreOption = Annotated[list[str] | None, typer.Option("--ignore", metavar="CODES", help="Do not ask these rules.")]
SetOption = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="CODE.NAME=VALUE", help="Change a threshold, such as POL301.lasting=0.4."),
]
