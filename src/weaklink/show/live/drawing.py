"""One run as a page, encoded; and what stands around the pages."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Collection, Iterable, Sequence

import msgspec

from weaklink.base.evidence.performance import MEASURES
from weaklink.base.evidence.run import Run
from weaklink.base.evidence.series import Series
from weaklink.base.finding import Finding, Level
from weaklink.base.loop import Link
from weaklink.judge.diagnosis.about import list_proving_codes
from weaklink.judge.diagnosis.diagnosis import Diagnosis
from weaklink.judge.diagnosis.engine import diagnose
from weaklink.show.document import HTML, Document, Page, Section, Table, TableRow, bind_pages
from weaklink.show.hiding import hide_in_page, hide_in_part
from weaklink.show.renderers.html import encode_json, encode_page
from weaklink.show.renderers.selection import select_sections
from weaklink.show.subjects import run as of_run
from weaklink.show.subjects.curves import PointBudget
from weaklink.show.subjects.fleet import KEPT_POINTS, KeptRun, count_verdicts, show_together
from weaklink.show.text import count_noun, shorten
from weaklink.show.thinning import PageAxes, thin_run
from weaklink.verbs.diagnose import Result
from weaklink.verbs.watch.events import Event

COMMAND = "watch"
LONGEST_NOTE = 2000
NO_RUN = "Waiting for a run"


class RunDrawing:
    """The page of one run, drawn again whenever the run was read again; `at` is when that was.

    `kept` is the run, condensed, for what several runs show together.
    """

    def __init__(self, name: str, target: str, *, show_all: bool = False) -> None:
        self._target, self._show_all = target, show_all
        self.kept: KeptRun | None = None
        self.page = Page(id=name, title=target, command=COMMAND, verdict="unclear", headline="")
        self.content = b""
        self.at = 0.0

    def draw(self, run: Run, diagnosis: Diagnosis, pages: int, taken: Collection[str] = ()) -> str:
        """Draws the run as it was read, as one of so many pages, under a title that is not taken.

        Returns:
            what went wrong, where something did: then the page is as it was before.
        """
        self.at = time.monotonic()
        name, growing = self.page.id, self.page.growing
        try:
            self.kept = KeptRun(thin_run(run, KEPT_POINTS), diagnosis)
            page = of_run.build(diagnosis, run, id=name, command=COMMAND, budget=PointBudget(pages), growing=growing)
            self._take(msgspec.structs.replace(page, title=self._target) if page.title in taken else page)
        except Exception as error:  # a run that cannot be drawn must not end the watching
            fault = f"{type(error).__name__}: {error}"
            if not self.content:
                self._take(self._without_drawing(diagnosis, fault))
            return fault
        return ""

    def set_growing(self, growing: bool) -> None:
        """Says whether the run still grows."""
        if growing is not self.page.growing:
            self._take(msgspec.structs.replace(self.page, growing=growing))

    def _take(self, page: Page) -> None:
        self.page, self.content = page, encode_page(page if self._show_all else hide_in_page(page))

    def _without_drawing(self, diagnosis: Diagnosis, fault: str) -> Page:
        headline = f"This run could not be drawn ({fault}). `weaklink diagnose` tells the same in words."
        return msgspec.structs.replace(self.page, verdict=diagnosis.verdict.value, headline=headline)


def rehearse() -> None:
    """Draws a small run with a proven finding: the first alert need not wait for all that a first drawing loads."""
    finding = Finding(message="", code=list_proving_codes()[0], name="", link=Link.RETURNS, level=Level.WARN)
    series = {name: Series.of(name, [1.0, 2.0], [1.0, 2.0]) for name in MEASURES[:1]}
    run = Run(name="", series=series, proven=(finding,))
    RunDrawing("", "").draw(run, diagnose(run), pages=1)


def make_page_id(target: str) -> str:
    """The same for the same run, whatever its name holds, so that a browser that comes back finds its page again."""
    return "run-" + hashlib.sha256(target.encode(errors="surrogatepass")).hexdigest()[:10]


def encode_head(
    drawings: Sequence[RunDrawing], notes: Iterable[Event], more: int, *, show_all: bool = False
) -> dict[str, msgspec.Raw]:
    """The document without its pages, each part as JSON."""
    kept = [drawing.kept for drawing in drawings if drawing.kept is not None]
    axes = PageAxes()
    results: list[Result] = [one.diagnosis for one in kept]
    sections = select_sections(show_together(results, None, kept, axes), HTML) if len(kept) > 1 else ()
    whole = bind_pages(
        [drawing.page for drawing in drawings],
        title=count_verdicts(results) if len(kept) > 1 else "" if drawings else NO_RUN,
        together=(*sections, *_make_notes(notes, more)),
        axes=axes.found,
        live=True,
    )
    if not show_all:
        whole = hide_in_part(msgspec.structs.replace(whole, pages=()), (drawing.page for drawing in drawings))
    parts = (name for name in Document.__struct_fields__ if name != "pages")
    return {name: msgspec.Raw(encode_json(getattr(whole, name)).encode()) for name in parts}


def _make_notes(notes: Iterable[Event], more: int) -> list[Section]:
    rows = [TableRow(cells=(_format_time(note.time), shorten(note.message, LONGEST_NOTE))) for note in notes]
    if more:
        rows.append(
            TableRow(cells=("", f"{count_noun(more, 'more run')} that grew longer ago: name fewer paths to see them."))
        )
    if not rows:
        return []
    table = Table(title="Notes", columns=("when", "what"), rows=tuple(reversed(rows)))
    return [Section(id="notes", title="While watching", blocks=(table,))]


def _format_time(moment: float) -> str:
    return time.strftime("%H:%M:%S", time.localtime(moment))
