"""`weaklink fleet query`: a question in SQL about the runs that were kept."""

from __future__ import annotations

from typing import Annotated

import typer

from weaklink.base.backports import StrEnum
from weaklink.cli.options import OutputFormat, OutputOption, TextFormatOption


class FleetAction(StrEnum):
    """What is done with a fleet."""

    QUERY = "query"


def fleet(
    action: Annotated[FleetAction, typer.Argument(metavar="query", help="Ask a question in SQL.")],
    question: Annotated[
        str, typer.Argument(metavar="SQL", help='Such as "SELECT code, count(*) FROM runs GROUP BY code".')
    ],
    folder: Annotated[
        str, typer.Option("--in", metavar="FOLDER", help="The folder that `weaklink diagnose --out` wrote.")
    ] = "fleet",
    format: TextFormatOption = OutputFormat.TERMINAL,
    output: OutputOption = "",
) -> None:
    """Asks the table of a fleet a question in SQL, by DuckDB; the table is called `runs`."""
    from weaklink.cli.output import OutputStream
    from weaklink.verbs.fleet.query import query_fleet

    answer = query_fleet(folder, question)
    out = OutputStream(output, document=format is not OutputFormat.TERMINAL)
    out.show(answer, format, one_line_each=True)
