"""The command line: one command a file, each importing what it needs when it is called and not before."""

from __future__ import annotations

import gc
import os
import sys
import warnings
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from weaklink._version import __version__
from weaklink.base.errors import NoDocstrings, WeaklinkError
from weaklink.cli.audit import audit
from weaklink.cli.compare import compare
from weaklink.cli.confirm import confirm
from weaklink.cli.debug import debug
from weaklink.cli.diagnose import diagnose
from weaklink.cli.exit_status import BAD_INPUT, INTERRUPTED
from weaklink.cli.explain import explain
from weaklink.cli.fit_critic import fit_critic
from weaklink.cli.memory import memory
from weaklink.cli.preflight import preflight
from weaklink.cli.probe import probe
from weaklink.cli.report import report
from weaklink.cli.rules import rules
from weaklink.cli.signals import orderly_end
from weaklink.cli.skill import skill
from weaklink.cli.watch import watch


class _Commands(TyperGroup):
    """Turns errors of use into a message and an exit code; nobody sees a traceback for a wrong path."""

    def invoke(self, ctx: Any) -> Any:
        with orderly_end() as status:
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
            except OSError:  # a terminal that was closed can be shown nothing any more
                if status(INTERRUPTED) == INTERRUPTED:
                    raise
                raise typer.Exit(status(INTERRUPTED)) from None


# plain help: typer's rich help would cost as much time again as starting the whole program
app = typer.Typer(cls=_Commands, no_args_is_help=True, rich_markup_mode=None, pretty_exceptions_enable=False)
app.command()(debug)
app.command()(diagnose)
app.command()(watch)
app.command()(preflight)
app.command()(probe)
app.command()(confirm)
app.command("fit-critic")(fit_critic)
app.command()(audit)
app.command()(compare)
app.command()(memory)
app.command()(report)
app.command()(rules)
app.command()(explain)
app.command()(skill)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"weaklink {__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Finds which link of a reinforcement-learning training loop broke first."""


def main() -> None:
    """Runs the command line.

    A run of it is short and makes few cycles, so searching for them while modules are loaded, and once more at the
    end, would be a fifth of its time.
    """
    if sys.flags.optimize > 1:
        print(f"weaklink: {NoDocstrings()}", file=sys.stderr)
        sys.exit(2)
    gc.set_threshold(100_000)
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # nothing here multiplies matrices; idle threads cost start-up
    if not sys.warnoptions:
        warnings.simplefilter("ignore")
    try:
        app(prog_name="weaklink")
    finally:
        gc.freeze()
