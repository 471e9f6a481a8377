"""Runs that are followed, on the board: which pages there are, in which order, and when they are drawn."""

from __future__ import annotations

import json
import os
import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.cli.logs import healthy_log, sick_log
from tests.growing import PROVEN, STEPS, curves, prove_in
from tests.patience import PATIENCE
from weaklink.base.evidence.store import Recording
from weaklink.show.live import showing as showing_module
from weaklink.show.live.board import Board
from weaklink.show.live.showing import LiveDrawer
from weaklink.verbs.watch import following as following_module
from weaklink.verbs.watch.events import Event
from weaklink.verbs.watch.following import RunFollower
from weaklink.verbs.watch.pace import LONGEST_REST, TimeAccount

HOSTILE = "<script>alert(1)<\u2028img src=x onerror=alert(2)>\u202e"


@pytest.fixture(autouse=True)
def hasty(monkeypatch) -> None:
    """Looks and draws several times as often as for people, so that the tests need not wait."""
    for name, seconds in {"TICK": 0.05, "SEARCH_EVERY": 0.2, "LOOK_EVERY": 0.1}.items():
        monkeypatch.setattr(following_module, name, seconds)
    monkeypatch.setattr(showing_module, "DRAW_EVERY", 0.1)


class Shown:
    """Runs that are followed and shown."""

    def __init__(self, *paths: Path) -> None:
        self.following = RunFollower(paths, keep_runs=True)
        self.board = Board()
        self.complaints: list[str] = []
        self.showing = LiveDrawer(self.following, self.board, self.complaints.append)
        self.events: list[Event] = []
        self.looks = 0

    def turn(self, seconds: float = 0.0, until: Callable[[dict[str, Any]], bool] = lambda _: False) -> dict[str, Any]:
        """Goes on for some time, or until the document is as it is wanted, and gives it."""
        ends = time.monotonic() + seconds
        for events in self.following.follow():
            self.looks += 1
            self.events.extend(self.showing.noticed(events))
            self.showing.refresh()
            if time.monotonic() > ends or until(self.document):
                break
        return self.document

    @property
    def document(self) -> dict[str, Any]:
        return json.loads(self.board.state.document())

    @property
    def alerts(self) -> list[dict[str, Any]]:
        return [json.loads(alert) for _, alert in self.board.state.alerts]


def age(file: Path, seconds: float) -> None:
    os.utime(file, (time.time() - seconds,) * 2)


def grow(folder: Path, rows: int, start: int = 0) -> None:
    with Recording(folder, context={"framework": "sb3"}) as recording:
        for index, row in enumerate(curves(start + rows)[start:], start + 1):
            recording.write(STEPS * index, row)


def titles(document: dict[str, Any]) -> list[str]:
    return [page["title"] for page in document["pages"]]


def has(pages: int) -> Callable[[dict[str, Any]], bool]:
    return lambda document: len(document["pages"]) == pages


def says(words: str) -> Callable[[dict[str, Any]], bool]:
    return lambda document: words in json.dumps(document)


def test_without_a_run_the_page_says_what_is_waited_for(tmp_path):
    shown = Shown(tmp_path)
    assert (shown.document["title"], shown.document["live"]) == ("Waiting for a run", True)
    document = shown.turn(PATIENCE, says("it is waited for"))
    assert document["pages"] == []
    assert [section["id"] for section in document["together"]] == ["notes"]


def test_a_run_is_on_the_page_after_its_first_look_with_an_alert_for_each_finding(tmp_path):
    age(sick_log(tmp_path / "run"), 3600)
    shown = Shown(tmp_path)
    (page,) = shown.turn()["pages"]
    assert (page["verdict"], page["command"], page["growing"]) == ("broken", "watch", False)
    told = [event.finding.code for event in shown.events if event.finding]
    assert [alert["code"] for alert in shown.alerts] == told
    assert {alert["page"] for alert in shown.alerts} == {page["id"]}
    assert {finding["code"] for finding in page["findings"]} >= set(told)


def test_two_runs_and_one_that_comes_later(tmp_path):
    age(sick_log(tmp_path / "older"), 7200)
    age(healthy_log(tmp_path / "newer"), 3600)
    shown = Shown(tmp_path)
    assert titles(shown.turn(PATIENCE, has(2))) == ["newer", "older"]
    before = {page["title"]: page["id"] for page in shown.document["pages"]}
    grow(tmp_path / "later", 30)
    document = shown.turn(PATIENCE, has(3))
    assert titles(document) == ["later", "newer", "older"]
    assert [page["growing"] for page in document["pages"]] == [True, False, False]
    assert {page["title"]: page["id"] for page in document["pages"][1:]} == before
    assert document["title"].startswith("3 runs")
    assert any(section["id"] == "overlaid" for section in document["together"])


def test_runs_of_one_name_are_told_apart(tmp_path):
    logs = [healthy_log(tmp_path / name) for name in ("a", "b")]
    shown = Shown(*logs)
    document = shown.turn(PATIENCE, has(2))
    assert sorted(titles(document)) == sorted(("progress.csv", str(logs[1])))


def test_a_page_is_drawn_again_when_its_run_has_grown_and_only_then(tmp_path):
    age(healthy_log(tmp_path / "still"), 3600)
    grow(tmp_path / "growing", 20)
    shown = Shown(tmp_path)
    shown.turn(PATIENCE, has(2))
    sheets = {sheet.id: sheet.version for sheet in shown.board.state.sheets}
    version = shown.board.state.version
    shown.turn(0.5)
    assert shown.board.state.version == version, "nothing has changed"
    grow(tmp_path / "growing", 20, start=20)
    shown.turn(PATIENCE, says(f"{40 * STEPS:,}"))
    drawn = {sheet.id for sheet in shown.board.state.sheets if sheets[sheet.id] != sheet.version}
    assert drawn == {page["id"] for page in shown.document["pages"] if page["title"] == "growing"}


def test_what_a_run_proves_is_an_alert_and_on_its_page_with_the_next_looks(tmp_path):
    grow(tmp_path / "run", 30)
    shown = Shown(tmp_path)
    shown.turn(PATIENCE, has(1))
    prove_in(tmp_path / "run")
    before = shown.looks
    document = shown.turn(PATIENCE, says(PROVEN))
    # one look that was under way, those until a run is looked at again, those until a page is drawn again, and that one
    assert shown.looks - before <= 1 + 2 + 2 + 1
    assert [alert["code"] for alert in shown.alerts] == [PROVEN]
    assert PROVEN in [finding["code"] for finding in document["pages"][0]["findings"]]


def test_a_run_begun_anew_keeps_its_page(tmp_path):
    log = sick_log(tmp_path / "run")
    age(log, 3600)
    shown = Shown(tmp_path)
    (before,) = shown.turn()["pages"]
    log.write_text("\n".join(log.read_text().splitlines()[:8]) + "\n")
    (after,) = shown.turn(PATIENCE, lambda document: document["pages"][0]["verdict"] != "broken")["pages"]
    assert (after["id"], before["verdict"]) == (before["id"], "broken")
    assert after["verdict"] != "broken"
    assert len(shown.document["pages"]) == 1


def test_a_run_that_vanishes_stays_on_the_page(tmp_path):
    for name in ("a", "b"):
        age(healthy_log(tmp_path / name), 3600)
    shown = Shown(tmp_path)
    shown.turn(PATIENCE, has(2))
    shutil.rmtree(tmp_path / "a")
    assert sorted(titles(shown.turn(PATIENCE, says("is not there any more")))) == ["a", "b"]
    assert "is not there any more" in json.dumps(shown.document["together"])


@pytest.mark.parametrize("name", [HOSTILE, "half \udcff name", "r" * 200])
def test_hostile_names_are_plain_text_of_one_line(tmp_path, name):
    age(sick_log(tmp_path / name.replace("/", "")), 3600)
    age(healthy_log(tmp_path / "other"), 3600)
    shown = Shown(tmp_path)
    shown.turn(PATIENCE, has(2))
    for content in (shown.board.state.document(), *(alert for _, alert in shown.board.state.alerts)):
        assert not {b"<"[0], b">"[0], b"\n"[0], b"\r"[0]} & set(content)
        assert "\u2028" not in content.decode()
    assert len(titles(shown.document)) == 2
    assert all(page["id"].startswith("run-") and page["id"].isascii() for page in shown.document["pages"])


def test_of_very_many_runs_those_that_grew_last_are_shown(tmp_path, monkeypatch):
    monkeypatch.setattr(showing_module, "MOST_PAGES", 3)
    for number in range(6):
        age(healthy_log(tmp_path / f"run{number}"), 3600 * (10 - number))
    shown = Shown(tmp_path)
    document = shown.turn(PATIENCE, lambda document: titles(document) == ["run5", "run4", "run3"])
    assert titles(document) == ["run5", "run4", "run3"]
    assert "3 more runs that grew longer ago" in json.dumps(document["together"])
    assert not any(course.unseen for run in shown.following.runs for course in run.courses)


def test_runs_are_kept_only_until_they_are_drawn(tmp_path):
    age(healthy_log(tmp_path / "run"), 3600)
    shown = Shown(tmp_path)
    shown.turn(PATIENCE, has(1))
    (run,) = shown.following.runs
    assert [course.take_over() for course in run.courses] == [None]
    watched = RunFollower([tmp_path])
    list(watched.turn())
    assert [course.unseen for run in watched.runs for course in run.courses] == [False]


def test_drawing_and_looking_share_one_account(tmp_path, monkeypatch):
    clock = {"now": 0.0, "worked": 0.0}
    pace = TimeAccount(lambda: clock["now"], lambda: clock["worked"])
    with pace.spent():
        clock["worked"] += 1.0
    grow(tmp_path / "run", 20)
    shown = Shown(tmp_path)
    monkeypatch.setattr(shown.following, "_pace", pace)
    shown.turn(PATIENCE, has(1))
    grow(tmp_path / "run", 20, start=20)
    version = shown.board.state.version
    shown.turn(0.5)
    assert shown.board.state.version == version, "there is no time left for a look, and none for a page"
    clock["now"] += LONGEST_REST
    assert says(f"{40 * STEPS:,}")(shown.turn(PATIENCE, says(f"{40 * STEPS:,}")))
