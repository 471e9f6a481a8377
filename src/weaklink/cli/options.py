"""The options that several commands share."""

from __future__ import annotations

from typing import Annotated

import typer

from weaklink.base.backports import StrEnum


class OutputFormat(StrEnum):
    """How a result is shown."""

    TERMINAL = "terminal"
    JSON = "json"
    MARKDOWN = "markdown"
    HTML = "html"
    GITHUB = "github"
    SARIF = "sarif"
    JUNIT = "junit"

    @property
    def is_for_ci(self) -> bool:
        """Whether a CI system reads it, which wants to hear of healthy runs too."""
        return self in (OutputFormat.GITHUB, OutputFormat.SARIF, OutputFormat.JUNIT)


class FailOn(StrEnum):
    """The lowest level of a finding that makes a command exit with 1."""

    INFO = "info"
    WARN = "warn"
    ERROR = "error"
    NEVER = "never"


def _require_text(format: OutputFormat) -> OutputFormat:
    if format is OutputFormat.HTML or format.is_for_ci:
        raise typer.BadParameter(f"{format} is for commands that judge: this one takes terminal, json or markdown.")
    return format


def require_page(format: OutputFormat) -> OutputFormat:
    """Refuses a page that was not built before anything takes its time, and not after it."""
    if format is OutputFormat.HTML:
        from weaklink.show.document import bind_pages
        from weaklink.show.renderers.html import write_document

        write_document(bind_pages(()))
    return format


FormatOption = Annotated[
    OutputFormat, typer.Option("--format", "-f", help="How to show the result.", callback=require_page)
]
TextFormatOption = Annotated[
    OutputFormat,
    typer.Option(
        "--format", "-f", metavar="[terminal|json|markdown]", help="How to show the result.", callback=_require_text
    ),
]
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
MapOption = Annotated[
    list[str] | None,
    typer.Option("--map", metavar="KEY=METRIC", help="What a key of the log holds: ret=reward.episode_return."),
]
VerboseOption = Annotated[
    bool, typer.Option("--verbose", "-v", help="Show all that is known on the terminal, not what to do now alone.")
]
ChecklistOption = Annotated[
    bool, typer.Option("--checklist", help="Show which questions of the checklists are answered too.")
]
ShowAllOption = Annotated[
    bool, typer.Option("--show-all", help="Show names, paths and settings on the page that it hides otherwise.")
]
WorkersOption = Annotated[
    int,
    typer.Option(
        "--workers",
        metavar="N",
        min=0,
        help="Judge many runs by so many processes.  [default: one a core]",
        show_default=False,
    ),
]
OutOption = Annotated[
    str,
    typer.Option(
        "--out",
        metavar="FOLDER",
        help="Keep a table of all runs here, and what makes the next time fast.",
        show_default=False,
    ),
]
RayOption = Annotated[
    str,
    typer.Option(
        "--ray",
        metavar="ADDRESS",
        help="Judge many runs on a Ray cluster, or by a Ray of our own: local.",
        show_default=False,
    ),
]
RayWorkOption = Annotated[
    str,
    typer.Option(
        "--ray",
        metavar="ADDRESS",
        help="Train on a Ray cluster, or by a Ray of our own: local.",
        show_default=False,
    ),
]
AlgorithmOption = Annotated[
    str, typer.Option("--algo", metavar="NAME", help="Train with this, such as sb3:PPO.", show_default=False)
]
EnvironmentOption = Annotated[
    str,
    typer.Option("--env", metavar="ENV", help="Train in this: a Gymnasium id, or module:factory.", show_default=False),
]
SetUpOption = Annotated[
    list[str] | None,
    typer.Option("--set-up", metavar="NAME=VALUE", help="A hyper-parameter of --algo, such as learning_rate=0.1."),
]
ServeOption = Annotated[
    str, typer.Option(metavar="[HOST:]PORT", help="Serve the page, live; a port alone stays on this machine.")
]
TokenOption = Annotated[
    str,
    typer.Option(
        metavar="TEXT", envvar="WEAKLINK_TOKEN", help="What the page asks for; made by itself where none is given."
    ),
]
OpenOption = Annotated[bool, typer.Option("--open", help="Open the page in the browser.")]
