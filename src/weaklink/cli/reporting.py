"""Results as they come: JSON is written at once, the rest when all are there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import typer

from weaklink.base.evidence.fleet import Fleet, Peer
from weaklink.base.finding import Level
from weaklink.cli.options import INTERRUPTED, FailOn, Format
from weaklink.cli.output import Output, complain
from weaklink.cli.targets import Judged, check_output, found, judged, watched
from weaklink.judge.diagnosis.diagnosis import Diagnosis
from weaklink.judge.diagnosis.engine import diagnose_fleet
from weaklink.judge.diagnosis.settings import Settings
from weaklink.judge.diagnosis.symptoms import Symptom
from weaklink.show.fleet import Failure, Result, failures, folder_of

if TYPE_CHECKING:
    from weaklink.show.page.together import Gathered

FINDINGS, BAD_INPUT = 1, 2


def reported(
    paths: Sequence[str], format: Format, output: str, settings: Settings, symptom: Symptom | None = None
) -> Reporting:
    """Reads, judges and shows what the paths hold; Ctrl-C keeps what was found until then.

    Raises:
        Exit: it was interrupted.
    """
    out = Output(output, document=format is not Format.TERMINAL)
    reporting = Reporting(format, out, settings, symptom)
    try:
        targets, failures = found(paths)
        check_output(output, paths, targets)
        for failure in failures:
            reporting.add(failure)
        streaming = format is Format.JSON and out.terminal
        for result in judged(watched(targets, show=not streaming), settings):
            reporting.add(result)
    except KeyboardInterrupt:
        reporting.finish()
        complain("stopped; what was found until then has been written.")
        raise typer.Exit(INTERRUPTED) from None
    reporting.finish()
    return reporting


class Reporting:
    """Shows one run in full and several as a fleet.

    Of several runs only the first is kept, with a summary of each: a fleet of any size needs little memory.
    """

    def __init__(self, format: Format, out: Output, settings: Settings, symptom: Symptom | None) -> None:
        self._format = format
        self._out = out
        self._settings = settings
        self._symptom = symptom
        self._results: list[Result] = []
        self._first: Judged | None = None
        self._peers: list[Peer] = []
        self._together: Diagnosis | None = None
        self._pages = _pages(symptom) if format is Format.HTML else None

    def add(self, result: Judged | Failure) -> None:
        """One more run, judged or unreadable."""
        plain: Result = result.diagnosis if isinstance(result, Judged) else result
        if isinstance(result, Judged):
            self._take(result)
        if self._pages is not None:
            self._pages.add(result.run, result.diagnosis) if isinstance(result, Judged) else self._pages.fail(result)
        self._results.append(plain)
        if self._format is Format.JSON:
            from weaklink.show.data import line

            self._out.write(line(plain, symptom=self._symptom))

    def _take(self, result: Judged) -> None:
        if self._first is None:
            self._first = result
            return
        runs = (result.run,) if self._peers else (self._first.run, result.run)
        self._peers.extend(map(Peer.of, runs))

    def finish(self) -> None:
        """Writes what waited for the end, and says on standard error what could not be read."""
        if self._first is None or not self._out.terminal or self._format is Format.JSON:
            for failure in failures(self._results):
                complain(failure.message)
        if self._peers:
            name = folder_of(self._results) or f"{len(self._peers)} runs"
            self._together = diagnose_fleet(Fleet(tuple(self._peers)), name, self._settings)
        if self._format is Format.JSON:
            self._json_of_all()
        elif self._pages is not None:
            if self._first is not None:
                self._out.show_document(self._pages.document(self._together))
        elif self._first is not None and self._format is Format.MARKDOWN:
            self._out.write(self._markdown())
        elif self._first is not None:
            self._terminal()

    @property
    def written(self) -> bool:
        """Whether there was anything to show."""
        return self._first is not None

    @property
    def failed(self) -> bool:
        """Whether something could not be read."""
        return bool(failures(self._results))

    def exit_code(self, fail_on: FailOn) -> int:
        """Findings win over unreadable targets."""
        judged = [result for result in (*self._results, self._together) if isinstance(result, Diagnosis)]
        if fail_on is not FailOn.NEVER:
            lowest = Level[fail_on.name]
            if any(one.worst is not None and one.worst >= lowest for one in judged):
                return FINDINGS
        return BAD_INPUT if failures(self._results) else 0

    @property
    def _alone(self) -> Judged | None:
        return self._first if len(self._results) == 1 else None

    def _json_of_all(self) -> None:
        """One line more than there are runs only where something is wrong with them taken together."""
        from weaklink.show.data import line

        if self._together is not None and (self._together.worst or Level.INFO) >= Level.WARN:
            self._out.write(line(self._together, runs=len(self._peers)))

    def _markdown(self) -> str:
        from weaklink.show.markdown import report, summary

        if self._alone is None:
            return summary(self._results, self._together, self._symptom)
        return report(self._alone.diagnosis, self._alone.run, self._symptom)

    def _terminal(self) -> None:
        from weaklink.show.fleet import summary
        from weaklink.show.terminal import report

        if self._alone is None:
            page = self._out.page(one_line_each=True)
            self._out.show(summary(self._results, page, self._together, self._symptom))
        else:
            self._out.show(report(self._alone.diagnosis, self._alone.run, self._out.page(), self._symptom))


def _pages(symptom: Symptom | None) -> Gathered:
    from weaklink.show.page.together import Gathered

    return Gathered(symptom=symptom)
