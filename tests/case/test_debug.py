"""Whole cases on real projects, with the smallest budgets."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests.case.projects import BLIND, LEARNS, ROOM, survey_briefly, trains, written
from tests.show.test_data import PROMISED
from weaklink.base.errors import UsageError
from weaklink.base.loop import Link
from weaklink.collect.readers import read
from weaklink.judge.diagnosis.diagnosis import Verdict
from weaklink.show.rendering import render
from weaklink.show.subjects import case as case_subject
from weaklink.verbs.debug.case import AFTER, BEFORE, DURING, STAGES, Case
from weaklink.verbs.debug.debugging import debug, read_case
from weaklink.verbs.debug.options import DebugOptions
from weaklink.verbs.debug.target import CaseTarget, parse_target

pytest.importorskip("gymnasium")

SHORT = {"seconds": 60.0}
"""So long that a machine that stands still for seconds makes nothing look hung."""
WATCHED = {"seconds": 10.0, "skip": ("preflight", "probe")}


def debugged(target: CaseTarget, folder: Path, options: dict[str, Any]) -> Case:
    return debug(DebugOptions(target=target, folder=folder, **options))


@pytest.fixture(scope="module")
def healthy(tmp_path_factory: pytest.TempPathFactory) -> Case:
    """A project that learns, looked at by every stage but the ladder."""
    folder = tmp_path_factory.mktemp("healthy")
    target = parse_target(written(folder, ROOM + LEARNS, "learns.py"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "stable_baselines3", None)  # its checker would load torch
        survey_briefly(patch)
        return debug(DebugOptions(target=target, folder=folder / "case", **SHORT, skip=("probe",)))


def states(case: Case) -> dict[str, str]:
    return {stage.stage: stage.state for stage in case.stages}


def test_a_project_that_learns_is_healthy(healthy: Case) -> None:
    assert states(healthy) == {
        "preflight": "clean",
        "probe": "skipped",
        "watch": "clean",
        "diagnose": "clean",
        "question": "clean",
    }
    assert healthy.verdict is Verdict.HEALTHY
    assert healthy.first_break is None
    assert "the return improves" in healthy.why
    assert set(healthy.checklists) == {BEFORE, DURING, AFTER}


def test_the_folder_holds_the_case(healthy: Case) -> None:
    assert read(healthy.folder / "run").performance is not None
    index = json.loads((healthy.folder / "case.json").read_text())
    assert index["target"]["name"] == "learns"
    assert json.loads((healthy.folder / "preflight.json").read_text())["state"] == "clean"
    again = read_case(healthy.folder)
    assert states(again) == states(healthy)
    assert again.diagnosis == healthy.diagnosis
    assert again.why == healthy.why


def test_every_view_shows_it(healthy: Case) -> None:
    text = render(healthy, "terminal", files=("The page: report.html",))
    assert text.startswith("HEALTHY  nothing is broken")
    assert all(name in text for name in (*STAGES, "Before training", "During training", "After training"))
    body = json.loads(render(healthy, "json"))
    assert list(body)[: len(PROMISED)] == PROMISED
    assert [stage["state"] for stage in body["stages"]] == list(states(healthy).values())
    assert "## HEALTHY" in render(healthy, "markdown")
    page = case_subject.build(healthy)
    assert (page.command, page.verdict, len(page.loop)) == ("debug", "healthy", 13)
    shown = [section.id for section in page.sections]
    assert shown[0] == "stages"
    assert {"curves", "rewards", "checklist-before", "checklist-during", "checklist-after"} <= set(shown)
    assert msgspec.json.encode(page)


def test_a_finished_stage_is_not_repeated_until_the_file_changes(healthy: Case) -> None:
    options = DebugOptions(target=healthy.target, folder=healthy.folder, **SHORT, skip=("preflight", "probe"))
    again = debug(options)
    watched = again.stage("watch")
    assert watched is not None
    assert watched.resumed
    file = Path(healthy.target.module)
    file.write_text(file.read_text() + "\n# another line\n")
    changed = debug(options)
    watched = changed.stage("watch")
    assert watched is not None
    assert not watched.resumed


def test_a_blind_room_stops_at_preflight(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "stable_baselines3", None)  # its checker would load torch
    survey_briefly(monkeypatch)
    case = debug(
        DebugOptions(
            target=parse_target(written(tmp_path, BLIND + LEARNS, "blind.py")), folder=tmp_path / "case", **SHORT
        )
    )
    assert states(case) == {"preflight": "broken"}
    assert case.first_break is not None
    assert case.first_break.link is Link.OBSERVATION
    assert case.stage_of_break == "preflight"


@pytest.mark.parametrize(
    ("body", "code", "told"),
    [
        ("raise ValueError('no such thing')", "PRB120", "after 5 steps: ValueError: no such thing .*project.py"),
        ("sys.exit(3)", "PRB120", "sys.exit\\(3\\) was called"),
        ("os._exit(7)", "PRB120", "the whole process died: exit code 7: about to go wrong"),
    ],
)
def test_a_training_that_ends_badly_is_told(tmp_path: Path, body: str, code: str, told: str) -> None:
    case = debugged(parse_target(written(tmp_path, trains(body))), tmp_path / "case", WATCHED)
    assert states(case)["watch"] == "failed"
    assert case.verdict is Verdict.BROKEN
    assert case.first_break is not None
    assert (case.first_break.code, case.first_break.link) == (code, Link.SYSTEM)
    assert case.stage_of_break == "watch"
    assert case.first_finding is not None
    assert re.search(told, case.first_finding.message)
    assert "about to go wrong" in (case.folder / "output" / "watch.txt").read_text()


def test_a_training_that_hangs_is_told_with_its_place(tmp_path: Path) -> None:
    case = debug(
        DebugOptions(
            target=parse_target(written(tmp_path, trains("time.sleep(600)"))), folder=tmp_path / "case", **WATCHED
        )
    )
    assert case.first_finding is not None
    assert case.first_finding.code == "PRB121"
    assert "project.py" in case.first_finding.message


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("import sys\nsys.exit('no licence')\n", "ended the whole process.*sys.exit\\('no licence'\\)"),
        ("import os\nos._exit(9)\n", "ended the whole process: exit code 9"),
        ("1 / 0\n", "failed: ZeroDivisionError: division by zero .*bad.py:1"),
        ("def make_env(:\n", "failed: SyntaxError"),
        ("steps = 3\n", "defines no make_env"),
    ],
)
def test_a_target_that_cannot_be_loaded_is_wrong_use(tmp_path: Path, content: str, told: str) -> None:
    with pytest.raises(UsageError, match=told):
        debugged(parse_target(written(tmp_path, content, "bad.py")), tmp_path / "case", SHORT)


def test_a_folder_of_something_else_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("important")
    with pytest.raises(UsageError, match="is no case: it holds other files"):
        debugged(parse_target(written(tmp_path, ROOM)), tmp_path, SHORT)
