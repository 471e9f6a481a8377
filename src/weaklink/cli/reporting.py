"""Results as they come: JSON is written at once, the rest when all are there."""

from __future__ import annotations

from collections.abc import Sequence

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
from weaklink.show.subjects.fleet import Failure, RunsReport, failures, folder_of

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
        self._report = RunsReport(symptom, drawn=format is Format.HTML)
        self._peers: list[Peer] = []

    def add(self, result: Judged | Failure) -> None:
        """One more run, judged or unreadable."""
        if isinstance(result, Judged):
            first = self._report.kept[0].run if len(self._report.kept) == 1 and not self._peers else None
            self._report.add(result.run, result.diagnosis)
            if self._peers or first is not None:
                self._peers.extend(map(Peer.of, (result.run,) if first is None else (first, result.run)))
        else:
            self._report.fail(result)
        if self._format is Format.JSON and isinstance(result, Judged):
            self._out.show(result.diagnosis, self._format, symptom=self._report.symptom)
        elif self._format is Format.JSON:
            self._out.show(result, self._format)

    def finish(self) -> None:
        """Writes what waited for the end, and says on standard error what could not be read."""
        if not self.written or not self._out.terminal or self._format is Format.JSON:
            for failure in failures(self._report.results):
                complain(failure.message)
        together = None
        if self._peers:
            name = folder_of(self._report.results) or f"{len(self._peers)} runs"
            together = diagnose_fleet(Fleet(tuple(self._peers)), name, self._settings)
            self._report.together = together
        if self._format is not Format.JSON:
            if self.written:
                self._out.show(self._report, self._format, one_line_each=len(self._report.results) > 1)
        elif together is not None and (together.worst or Level.INFO) >= Level.WARN:
            # one line more than there are runs only where something is wrong with them taken together
            self._out.show(together, self._format, runs=len(self._peers))

    @property
    def written(self) -> bool:
        """Whether there was anything to show."""
        return bool(self._report.kept)

    @property
    def failed(self) -> bool:
        """Whether something could not be read."""
        return bool(failures(self._report.results))

    def exit_code(self, fail_on: FailOn) -> int:
        """Findings win over unreadable targets."""
        judged = [result for result in (*self._report.results, self._report.together) if isinstance(result, Diagnosis)]
        if fail_on is not FailOn.NEVER:
            lowest = Level[fail_on.name]
            if any(one.worst is not None and one.worst >= lowest for one in judged):
                return FINDINGS
        return BAD_INPUT if failures(self._report.results) else 0
