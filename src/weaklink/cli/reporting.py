"""How judged runs are shown: JSON as each comes, the rest when all are there; one run in full, several as a fleet."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, TypeVar

from weaklink.base.finding import Level
from weaklink.cli.options import OutputFormat
from weaklink.cli.output import OutputStream, complain
from weaklink.cli.progress import iterate_targets
from weaklink.judge.diagnosis.symptoms import Symptom
from weaklink.show.text import count_noun
from weaklink.verbs.diagnose import Diagnosed, Told, find_common_folder
from weaklink.verbs.targets import Counted, Failure, JudgedRun

if TYPE_CHECKING:
    from weaklink.show.subjects.fleet import KeptRuns


Step = TypeVar("Step")


class ResultReporter:
    """Shows results in one format; `aside` on standard error, where standard output is somebody else's."""

    def __init__(
        self,
        format: OutputFormat,
        output: str,
        symptom: Symptom | None = None,
        *,
        show_all: bool = False,
        aside: bool = False,
        verbose: bool = True,
    ) -> None:
        self._format, self._show_all, self._verbose = format, show_all, verbose
        self._out = OutputStream(output, document=format is not OutputFormat.TERMINAL, aside=aside)
        self._symptom = symptom
        self._kept = _make_kept_runs() if format is OutputFormat.HTML else None

    def around(self, steps: Counted[Step], /) -> Iterable[Step]:
        """Targets, or their results, one by one, with a bar where that is not in the way of what is written."""
        streaming = self._format is OutputFormat.JSON and self._out.terminal
        return steps if streaming else iterate_targets(steps)

    def tell(self, result: Told) -> None:
        """One more run, judged or unreadable."""
        if isinstance(result, JudgedRun) and self._kept is not None:
            self._kept.keep(result.run, result.diagnosis)
        if self._format is not OutputFormat.JSON:
            return
        if isinstance(result, Failure):
            self._out.show(result, self._format)
        else:
            self._out.show(result.diagnosis, self._format, symptom=self._symptom)

    def finish(self, diagnosed: Diagnosed) -> None:
        """Writes what waited for the end, and says on standard error what could not be read."""
        if not diagnosed.runs or not self._out.terminal or self._format is OutputFormat.JSON:
            for failure in diagnosed.failures:
                complain(failure.message)
        if self._format is not OutputFormat.JSON:
            if diagnosed.runs:
                self._read_again(diagnosed)
                several = diagnosed.alone is None
                self._out.show(
                    diagnosed,
                    self._format,
                    one_line_each=several,
                    show_all=self._show_all,
                    verbose=self._verbose,
                    symptom=self._symptom,
                    kept=self._kept or (),
                    every=self._format.is_for_ci,
                )
        else:
            self._tell_together(diagnosed)
        if diagnosed.table:
            complain(f"the table of {count_noun(len(diagnosed.results), 'run')} is {diagnosed.table}")
        if diagnosed.stopped:
            complain("stopped; what was found until then has been written.")

    def _read_again(self, diagnosed: Diagnosed) -> None:
        """Has the runs that are drawn read once more, where none was kept while they were judged."""
        if self._kept is None or self._kept:
            return
        from weaklink.show.subjects.fleet import MOST_PAGES
        from weaklink.show.subjects.triage import choose_drawn
        from weaklink.verbs.fleet.reopening import reopen_runs

        for one in reopen_runs(diagnosed.targets, choose_drawn(diagnosed.summaries, MOST_PAGES)):
            self._kept.keep(one.run, one.diagnosis)

    def _tell_together(self, diagnosed: Diagnosed) -> None:
        """Lines more than there are runs only where something is to be said of them taken together."""
        together, patterns = diagnosed.together, diagnosed.patterns
        if together is not None and (together.worst or Level.INFO) >= Level.WARN:
            self._out.show(together, self._format, runs=diagnosed.runs)
        if patterns is not None and patterns.found:
            self._out.show(patterns, self._format, target=find_common_folder(diagnosed.results))


def _make_kept_runs() -> KeptRuns:
    from weaklink.show.subjects.fleet import KeptRuns

    return KeptRuns()
