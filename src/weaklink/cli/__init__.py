"""The command line: one command a file, each importing what it needs when it is called and not before."""

from __future__ import annotations

import gc
import os
import sys
import warnings
from collections.abc import Sequence
from importlib import import_module
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from weaklink._version import __version__
from weaklink.base.errors import NoDocstrings, WeaklinkError
from weaklink.cli.exit_status import BAD_INPUT, INTERRUPTED, OWN_FAULT
from weaklink.cli.signals import end_orderly

COMMANDS = (
    "debug",
    "run",
    "diagnose",
    "fleet",
    "watch",
    "preflight",
    "probe",
    "confirm",
    "fit-critic",
    "audit",
    "compare",
    "memory",
    "report",
    "rules",
    "explain",
    "skill",
    "mcp",
)
"""In the order of the help; each is the function of this name in the file of this name."""

COUNTS_WHAT_IS_LEFT = frozenset(("duckdb",))
"""Modules that complain about objects that were not collected when the program ends."""

COMPLETING = "_WEAKLINK_COMPLETE"
"""The variable by which a shell asks for the words that may come next."""

WIDEST_HELP = {"max_content_width": 120}
"""Columns of the help on a terminal that has them; by itself it stays below 80, whatever COLUMNS says."""

# typer may bring a click of its own, so the root of its exceptions is reached through one that is public
WRONG_USE: tuple[type[Exception], ...] = (
    typer.Abort,
    *(kind for kind in typer.BadParameter.__mro__ if issubclass(kind, Exception) and kind.__name__ == "ClickException"),
)


class _Commands(TyperGroup):
    """Turns errors of use into a message and an exit code; nobody sees a traceback for a wrong path."""

    def invoke(self, ctx: Any) -> Any:
        with end_orderly() as status:
            try:
                return super().invoke(ctx)
            except WeaklinkError as error:
                from weaklink.cli.output import complain

                complain(str(error))
                raise typer.Exit(BAD_INPUT) from None
            except KeyboardInterrupt:
                raise typer.Exit(status(INTERRUPTED)) from None
            except typer.Exit as ended:
                raise typer.Exit(status(ended.exit_code)) from None
            except WRONG_USE:
                raise
            except Exception as fault:
                if isinstance(fault, OSError) and status(INTERRUPTED) != INTERRUPTED:
                    # a terminal that was closed can be shown nothing any more
                    raise typer.Exit(status(INTERRUPTED)) from None
                raise typer.Exit(_report_own_fault(fault)) from None


def _report_own_fault(fault: Exception) -> int:
    """Says in one line that weaklink itself failed and where."""
    from weaklink.cli.faults import describe_own_fault
    from weaklink.cli.output import complain

    complain(describe_own_fault(fault))
    return OWN_FAULT


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"weaklink {__version__}")
        raise typer.Exit


def options(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Finds which link of a reinforcement-learning training loop broke first."""


def _do_nothing() -> None:
    """Stands for every command in their list: reading the arguments of all takes as long as all else."""


def make_app(names: Sequence[str] = COMMANDS, *, listed: bool = False) -> typer.Typer:
    """The command line with these commands, which can be `listed` alone.

    typer reads the arguments of all commands that it has before it runs one.
    """
    # plain help: typer's rich help would cost as much time again as starting the whole program
    app = typer.Typer(
        cls=_Commands,
        no_args_is_help=True,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings=WIDEST_HELP,
    )
    app.callback()(options)
    for name in names:
        module = name.replace("-", "_")
        home = import_module(f"weaklink.cli.{module}")
        command = getattr(home, module)
        whole = (command.__doc__ or "").partition("\n")[0]  # by itself the list of commands cuts it short
        context = {**WIDEST_HELP, **getattr(home, "CONTEXT", {})}
        app.command(name, context_settings=context, short_help=whole)(_do_nothing if listed else command)
    return app


def __getattr__(name: str) -> Any:
    """`app`, with every command, made when somebody asks for it."""
    if name != "app":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return globals().setdefault("app", make_app())


def main() -> None:
    """Runs the command line, but for what `python -m weaklink` sets before this is loaded."""
    if sys.flags.optimize > 1:
        print(f"weaklink: {NoDocstrings()}", file=sys.stderr)
        sys.exit(2)
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # nothing here multiplies matrices; idle threads cost start-up
    asked = sys.argv[1:]
    listed = asked in ([], ["--help"], ["--version"]) and COMPLETING not in os.environ
    if not sys.warnoptions:
        warnings.simplefilter("ignore")
    try:
        names = asked[:1] if asked and asked[0] in COMMANDS else COMMANDS
        make_app(names, listed=listed)(prog_name="weaklink")
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
    except Exception as fault:  # outside of a command: while it was loaded, or its options read
        sys.exit(_report_own_fault(fault))
    finally:
        if not COUNTS_WHAT_IS_LEFT & sys.modules.keys():
            gc.freeze()
