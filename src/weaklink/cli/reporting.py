"""How judged runs are shown: JSON as each comes, the rest when all are there; one run in full, several as a fleet."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from weaklink.base.finding import Level
from weaklink.cli.options import Format
from weaklink.cli.output import Output, complain
from weaklink.cli.progress import each_target
from weaklink.judge.diagnosis.symptoms import Symptom
from weaklink.verbs.diagnose import Diagnosed
from weaklink.verbs.targets import Failure, Judged, LogTarget

if TYPE_CHECKING:
    from weaklink.show.page.together import Gathered


class Reporting:
    """Shows results in one format."""

    def __init__(self, format: Format, output: str, symptom: Symptom | None = None) -> None:
        self._format = format
        self._out = Output(output, document=format is not Format.TERMINAL)
        self._symptom = symptom
        self._pages = _pages(symptom) if format is Format.HTML else None

    def around(self, targets: Sequence[LogTarget]) -> Iterable[LogTarget]:
        """The targets one by one, with a bar where that is not in the way of what is written meanwhile."""
        streaming = self._format is Format.JSON and self._out.terminal
        return targets if streaming else each_target(targets)

    def tell(self, result: Judged | Failure) -> None:
        """One more run, judged or unreadable."""
        if self._pages is not None:
            self._pages.add(result.run, result.diagnosis) if isinstance(result, Judged) else self._pages.fail(result)
        if self._format is Format.JSON:
            from weaklink.show.data import line

            plain = result.diagnosis if isinstance(result, Judged) else result
            self._out.write(line(plain, symptom=self._symptom))

    def finish(self, diagnosed: Diagnosed) -> None:
        """Writes what waited for the end, and says on standard error what could not be read."""
        if not diagnosed.runs or not self._out.terminal or self._format is Format.JSON:
            for failure in diagnosed.failures:
                complain(failure.message)
        if self._format is Format.JSON:
            self._json_of_all(diagnosed)
        elif not diagnosed.runs:
            pass
        elif self._pages is not None:
            self._out.show_document(self._pages.document(diagnosed.together))
        elif self._format is Format.MARKDOWN:
            self._out.write(self._markdown(diagnosed))
        else:
            self._terminal(diagnosed)
        if diagnosed.stopped:
            complain("stopped; what was found until then has been written.")

    def _json_of_all(self, diagnosed: Diagnosed) -> None:
        """One line more than there are runs only where something is wrong with them taken together."""
        from weaklink.show.data import line

        together = diagnosed.together
        if together is not None and (together.worst or Level.INFO) >= Level.WARN:
            self._out.write(line(together, runs=diagnosed.runs))

    def _markdown(self, diagnosed: Diagnosed) -> str:
        from weaklink.show.markdown import report, summary

        alone = diagnosed.alone
        if alone is None:
            return summary(diagnosed.results, diagnosed.together, self._symptom)
        return report(alone.diagnosis, alone.run, self._symptom)

    def _terminal(self, diagnosed: Diagnosed) -> None:
        from weaklink.show.fleet import summary
        from weaklink.show.terminal import report

        alone = diagnosed.alone
        if alone is None:
            page = self._out.page(one_line_each=True)
            self._out.show(summary(diagnosed.results, page, diagnosed.together, self._symptom))
        else:
            self._out.show(report(alone.diagnosis, alone.run, self._out.page(), self._symptom))


def _pages(symptom: Symptom | None) -> Gathered:
    from weaklink.show.page.together import Gathered

    return Gathered(symptom=symptom)
