"""Many projects debugged: in turn, or side by side where machines are lent; none keeps the others from it."""

from __future__ import annotations

import json
import sys
import threading
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.case.projects import BLIND, ROOM, survey_briefly, written
from tests.cli.logs import invoke
from tests.patience import PATIENCE
from tests.unwrapping import unwrapped
from weaklink.base.errors import UsageError
from weaklink.base.outside.lending import LentMachines, lend_machines
from weaklink.verbs.debug import several
from weaklink.verbs.debug.options import DebugOptions
from weaklink.verbs.debug.several import debug_several, place_targets
from weaklink.verbs.debug.target import parse_target
from weaklink.verbs.targets import Failure

pytest.importorskip("gymnasium")


def make_options(folder: Path, *names: str) -> list[DebugOptions]:
    targets = [parse_target(written(folder, ROOM, f"{name}.py")) for name in names]
    places = place_targets(targets, str(folder / "cases"))
    return [DebugOptions(target=target, folder=place) for target, place in zip(targets, places, strict=True)]


def test_each_target_has_a_folder_of_its_own_though_names_are_the_same(tmp_path):
    (tmp_path / "other").mkdir()
    words = [written(tmp_path, ROOM), written(tmp_path / "other", ROOM), written(tmp_path, ROOM, "room.py")]
    places = place_targets([parse_target(word) for word in words])
    assert list(map(str, places)) == ["weaklink-case/project", "weaklink-case/project-2", "weaklink-case/room"]


def test_on_lent_machines_they_are_debugged_side_by_side_and_told_in_their_order(tmp_path, monkeypatch):
    meeting, told = threading.Barrier(3), []

    def debug(options):
        meeting.wait(PATIENCE)  # three at a time, or none goes on
        if options.target.name == "b":
            raise UsageError("b cannot be used")
        return SimpleNamespace(name=options.target.name, stopped=False)

    monkeypatch.setattr(several, "debug", debug)
    with lend_machines(LentMachines(("nobody",), 3 * several.CORES)):
        debugged = debug_several(make_options(tmp_path, "a", "b", "c"), told.append)
    assert len(told) == 3
    first, refused, last = debugged.results
    assert isinstance(refused, Failure)
    assert (first.name, refused.message, last.name) == ("a", "b cannot be used", "c")
    assert not debugged.stopped


@pytest.mark.parametrize("room", [0, several.CORES])
def test_ctrl_c_keeps_what_is_finished(tmp_path, monkeypatch, room):
    def debug(options):
        if options.target.name == "b":
            raise KeyboardInterrupt
        return SimpleNamespace(name=options.target.name, stopped=False)

    monkeypatch.setattr(several, "debug", debug)
    with lend_machines(LentMachines(("nobody",), room) if room else None):
        debugged = debug_several(make_options(tmp_path, "a", "b", "c"))
    assert [one.name for one in debugged.results] == ["a"]
    assert debugged.stopped


def test_wrong_options_are_refused_before_anything_is_run(tmp_path, monkeypatch):
    monkeypatch.setattr(several, "debug", pytest.fail)
    options = [DebugOptions(target=one.target, seconds=1.0) for one in make_options(tmp_path, "a")]
    with pytest.raises(UsageError, match="--seconds"):
        debug_several(options)


def test_a_table_of_all_and_the_status_of_the_worst(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(sys.modules, "stable_baselines3", None)  # its checker would load torch
    survey_briefly(monkeypatch)
    for name, content in (("blind.py", BLIND), ("room.py", ROOM), ("empty.py", "x = 1\n")):
        written(tmp_path, content, name)
    words = ["debug", "--each", "blind.py", "room.py", "empty.py", "--only", "preflight", "--seconds", "60"]
    shown = invoke(*words)
    text = unwrapped(shown.stdout)
    assert shown.exit_code == 1
    assert "3 projects: 1 broken, 1 healthy, 1 unusable" in text
    assert "blind.py broken OBS101 constant-observation preflight weaklink-case/blind" in text
    assert "empty.py defines no make_env" in shown.stderr
    assert Path("weaklink-case/room/report.html").exists()
    again = invoke(*words, "--format", "json", "--fail-on", "never")
    lines = [json.loads(line) for line in again.stdout.splitlines()]
    assert [line.get("verdict") for line in lines] == ["broken", "healthy", None]
    assert lines[2]["error"].startswith("empty.py defines no make_env")
    assert again.exit_code == 2  # one could not be used


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--each",), "--each needs targets"),
        (("--each", "project.py", "--lr", "1"), "No such option: --lr"),
        (("--each", "project.py", "--env", "CartPole-v1"), "leave out --algo"),
        (("--each", "project.py", "--format", "html"), "each case keeps its own page"),
    ],
)
def test_what_goes_with_one_target_only_is_refused(tmp_path, monkeypatch, words, message):
    monkeypatch.chdir(tmp_path)
    written(tmp_path, ROOM)
    told = invoke("debug", *words)
    assert told.exit_code == 2
    assert message in unwrapped(told.stderr)
