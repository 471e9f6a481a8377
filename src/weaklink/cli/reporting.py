"""How judged runs are shown: JSON as each comes, the rest when all are there; one run in full, several as a fleet."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from weaklink.base.finding import Level
from weaklink.cli.options import OutputFormat
from weaklink.cli.output import OutputStream, complain
from weaklink.cli.progress import iterate_targets
from weaklink.judge.diagnosis.symptoms import Symptom
from weaklink.verbs.diagnose import Diagnosed
from weaklink.verbs.targets import Failure, JudgedRun, LogTarget

if TYPE_CHECKING:
    from weaklink.show.subjects.fleet import KeptRuns


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

    def around(self, targets: Sequence[LogTarget]) -> Iterable[LogTarget]:
        """The targets one by one, with a bar where that is not in the way of what is written meanwhile."""
        streaming = self._format is OutputFormat.JSON and self._out.terminal
        return targets if streaming else iterate_targets(targets)

    def tell(self, result: JudgedRun | Failure) -> None:
        """One more run, judged or unreadable."""
        if isinstance(result, JudgedRun) and self._kept is not None:
            self._kept.keep(result.run, result.diagnosis)
        if self._format is not OutputFormat.JSON:
            return
        if isinstance(result, JudgedRun):
            self._out.show(result.diagnosis, self._format, symptom=self._symptom)
        else:
            self._out.show(result, self._format)

    def finish(self, diagnosed: Diagnosed) -> None:
        """Writes what waited for the end, and says on standard error what could not be read."""
        if not diagnosed.runs or not self._out.terminal or self._format is OutputFormat.JSON:
            for failure in diagnosed.failures:
                complain(failure.message)
        together = diagnosed.together
        if self._format is not OutputFormat.JSON:
            if diagnosed.runs:
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
        elif together is not None and (together.worst or Level.INFO) >= Level.WARN:
            # one line more than there are runs only where something is wrong with them taken together
            self._out.show(together, self._format, runs=diagnosed.runs)
        if diagnosed.stopped:
            complain("stopped; what was found until then has been written.")


def _make_kept_runs() -> KeptRuns:
    from weaklink.show.subjects.fleet import KeptRuns

    return KeptRuns()
