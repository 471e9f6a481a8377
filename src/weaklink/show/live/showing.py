"""From the runs that are followed to what is on the board: pages drawn when runs were read, alerts when they come."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence

from weaklink.show.hiding import hide_in_part
from weaklink.show.live.alerts import make_alert
from weaklink.show.live.board import Board
from weaklink.show.live.drawing import RunDrawing, encode_head, make_page_id
from weaklink.show.renderers.html import encode_json
from weaklink.verbs.watch.events import Event, EventKind
from weaklink.verbs.watch.followed import RunHistory
from weaklink.verbs.watch.following import RunFollower

DRAW_EVERY, DRAW_ALERTED_EVERY = 1.0, 0.2
LONGEST_DRAWING = 0.3
"""Seconds after which further pages wait for the next time."""
MOST_PAGES = 30
MOST_NOTES = 20


class LiveDrawer:
    """Draws each run again when it was read again, at most once a second, and puts it on the board.

    Drawing is paid from the same account as reading and judging. What was never drawn need not wait for that account,
    nor what an alert is about, which is drawn at once. Runs that grow come first, the one met last at the top; then the
    others, the one that grew last at the top. Beyond MOST_PAGES they are counted only.

    Args:
        following: the runs; it must keep what it reads (`keep_runs`).
        board: what the browsers are shown.
        complain: takes a sentence about a run that could not be drawn.
        show_all: whether the page also shows what is hidden from other eyes.
    """

    def __init__(
        self, following: RunFollower, board: Board, complain: Callable[[str], None], *, show_all: bool = False
    ) -> None:
        self._show_all = show_all
        self._following, self._board, self._complain = following, board, complain
        self._drawings: dict[RunHistory, RunDrawing] = {}
        self._notes: deque[Event] = deque(maxlen=MOST_NOTES)
        self._alerted: set[str] = set()
        self._failed: set[str] = set()
        self._shown: object = None
        self._drew = 0.0
        self._put(())

    def noticed(self, events: Iterable[Event]) -> Iterator[Event]:
        """Takes events on their way to somebody else."""
        for event in events:
            if event.kind is EventKind.NOTE:
                self._notes.append(event)
            alert = make_alert(event, make_page_id(event.target))
            if alert is not None:
                self._alerted.add(event.target)
                self._board.alert(encode_json(alert if self._show_all else hide_in_part(alert, ())).encode())
            yield event
            self.refresh()

    def refresh(self) -> None:
        """Draws what is due."""
        if time.monotonic() - self._drew < (DRAW_ALERTED_EVERY if self._alerted else DRAW_EVERY):
            return
        arranged = self._arranged()
        for course, _ in arranged[MOST_PAGES:]:
            course.take_over()
        unseen = [course for course, _ in arranged if course.unseen]
        if not unseen and self._shown == self._standing(arranged):
            self._alerted.clear()
            return
        if any(self._is_urgent(course) for course in unseen) or self._following.pace.free:
            with self._following.pace.spent():
                self._draw(arranged)
            self._drew = time.monotonic()

    def _arranged(self) -> list[tuple[RunHistory, bool]]:
        """Every run that was judged, and whether it grows, in the order of the page."""
        runs = [(run, run.is_still) for run in self._following.runs]
        runs.sort(key=lambda one: (one[1], -one[0].still_since if one[1] else -one[0].met))
        return [(course, not still) for run, still in runs for course in run.courses if course.diagnosis]

    def _standing(self, arranged: Sequence[tuple[RunHistory, bool]]) -> object:
        """Whatever is shown beside the pages themselves."""
        return [(id(course), grows) for course, grows in arranged], list(self._notes)

    def _draw(self, arranged: Sequence[tuple[RunHistory, bool]]) -> None:
        shown = arranged[:MOST_PAGES]
        self._drawings = {course: self._drawings[course] for course, _ in shown if course in self._drawings}
        ends = time.monotonic() + LONGEST_DRAWING
        waiting = [course for course, _ in shown if course.unseen]
        for course in sorted(waiting, key=lambda one: (one.target not in self._alerted, self._drawn_at(one))):
            self._draw_one(course, len(shown))
            if time.monotonic() > ends:
                break
        drawings = [(self._drawings[course], grows) for course, grows in shown if course in self._drawings]
        for drawing, grows in drawings:
            drawing.set_growing(grows)
        self._shown = self._standing(arranged)
        self._put([drawing for drawing, _ in drawings], more=len(arranged) - len(shown))

    def _draw_one(self, course: RunHistory, pages: int) -> None:
        self._alerted.discard(course.target)
        run, diagnosis = course.take_over(), course.diagnosis
        if run is None or diagnosis is None:
            return
        drawing = self._drawings.get(course) or RunDrawing(
            self._free_id(course.target), course.target, show_all=self._show_all
        )
        self._drawings[course] = drawing
        titles = {other.page.title for other in self._drawings.values() if other is not drawing}
        fault = drawing.draw(run, diagnosis, pages, titles)
        if fault and course.target not in self._failed:
            self._failed.add(course.target)
            self._complain(f"Could not draw {course.target}, by a fault of weaklink itself ({fault}).")

    def _is_urgent(self, course: RunHistory) -> bool:
        return course.target in self._alerted or course not in self._drawings

    def _free_id(self, target: str) -> str:
        taken = {drawing.page.id for drawing in self._drawings.values()}
        names = (make_page_id(target), *(f"{make_page_id(target)}-{number}" for number in range(2, MOST_PAGES + 2)))
        return next(name for name in names if name not in taken)

    def _drawn_at(self, course: RunHistory) -> float:
        return self._drawings[course].at if course in self._drawings else 0.0

    def _put(self, drawings: Sequence[RunDrawing], more: int = 0) -> None:
        head = encode_head(drawings, self._notes, more, show_all=self._show_all)
        self._board.draw(head, [(drawing.page.id, drawing.content) for drawing in drawings])
