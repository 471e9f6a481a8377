"""`weaklink diagnose`: which link broke first, from logs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from weaklink.cli.options import (
    FailOn,
    FailOnOption,
    Format,
    FormatOption,
    IgnoreOption,
    OutputOption,
    SelectOption,
    SetOption,
)

if TYPE_CHECKING:
    from weaklink.cli.output import Output
    from weaklink.cli.targets import Judged
    from weaklink.diagnosis.symptoms import Symptom
    from weaklink.views.fleet import Failure, Result

FINDINGS, BAD_INPUT, INTERRUPTED = 1, 2, 130


def diagnose(
    paths: Annotated[
        list[str], typer.Argument(metavar="PATH", help="Logs, run folders, trees of runs, or - for standard input.")
    ],
    format: FormatOption = Format.TERMINAL,
    output: OutputOption = "",
    fail_on: FailOnOption = None,
    select: SelectOption = None,
    ignore: IgnoreOption = None,
    thresholds: SetOption = None,
    symptom: Annotated[
        str, typer.Option(metavar="TEXT", help='Start from what you see, such as "reward flat".', show_default=False)
    ] = "",
) -> None:
    """Says which link of a training loop broke first, from its logs.

    Exits with 0 when there is no finding of the level --fail-on, with 1 when there is one, and with 2 when
    something could not be read.
    """
    from weaklink.cli.output import Output, complain
    from weaklink.cli.settings import gathered
    from weaklink.cli.targets import found, judged, watched
    from weaklink.diagnosis.symptoms import symptom as known_symptom

    settings, level = gathered(select or (), ignore or (), thresholds or (), fail_on)
    seen = known_symptom(symptom) if symptom else None
    out = Output(output, document=format is not Format.TERMINAL)
    reporting = _Reporting(format, out, seen)
    try:
        targets, failures = found(paths)
        for failure in failures:
            reporting.add(failure)
        streaming = format is Format.JSON and out.terminal
        for result in judged(watched(targets, show=not streaming), settings):
            reporting.add(result)
    except KeyboardInterrupt:
        reporting.finish()
        complain("stopped; what was found until then is above.")
        raise typer.Exit(INTERRUPTED) from None
    reporting.finish()
    raise typer.Exit(reporting.exit_code(level))


class _Reporting:
    """Takes results as they come: JSON is written at once, the rest when all are there."""

    def __init__(self, format: Format, out: Output, symptom: Symptom | None) -> None:
        self._format = format
        self._out = out
        self._symptom = symptom
        self._results: list[Result] = []
        self._first: Judged | None = None

    def add(self, result: Judged | Failure) -> None:
        """One more run, judged or unreadable."""
        from weaklink.views.fleet import Failure

        plain: Result = result if isinstance(result, Failure) else result.diagnosis
        self._first = self._first or (None if isinstance(result, Failure) else result)
        self._results.append(plain)
        if self._format is Format.JSON:
            from weaklink.views.data import line

            self._out.write(line(plain, symptom=self._symptom))

    def finish(self) -> None:
        """Writes what waited for the end, and says on standard error what could not be read."""
        from weaklink.cli.output import complain
        from weaklink.views.fleet import failures

        if self._first is None or not self._out.terminal or self._format is Format.JSON:
            for failure in failures(self._results):
                complain(failure.message)
        if self._first is None or self._format is Format.JSON:
            return
        if self._format is Format.MARKDOWN:
            self._out.write(self._markdown())
        else:
            self._terminal()

    def exit_code(self, fail_on: FailOn) -> int:
        """Findings win over unreadable targets."""
        from weaklink.diagnosis.diagnosis import Diagnosis
        from weaklink.finding import Level

        if fail_on is not FailOn.NEVER:
            lowest = Level[fail_on.name]
            worst = (result.worst for result in self._results if isinstance(result, Diagnosis))
            if any(level is not None and level >= lowest for level in worst):
                return FINDINGS
        return BAD_INPUT if any(not isinstance(result, Diagnosis) for result in self._results) else 0

    @property
    def _alone(self) -> Judged | None:
        return self._first if len(self._results) == 1 else None

    def _markdown(self) -> str:
        from weaklink.views.markdown import report, summary

        if self._alone is None:
            return summary(self._results, self._symptom)
        return report(self._alone.diagnosis, self._alone.run, self._symptom)

    def _terminal(self) -> None:
        from weaklink.views.fleet import summary
        from weaklink.views.terminal import report

        page = self._out.page()
        if self._alone is None:
            self._out.show(summary(self._results, page))
        else:
            self._out.show(report(self._alone.diagnosis, self._alone.run, page, self._symptom))
