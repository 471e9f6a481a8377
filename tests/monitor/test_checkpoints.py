from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from weaklink.collect.monitor.checkpoints import Checkpoints


def writes(text):
    return lambda path: Path(path).write_text(text, encoding="utf-8")


def dies_half_way(path):
    Path(path).write_text("half", encoding="utf-8")
    raise OSError("No space left on device")


def state(checkpoints, place):
    return (checkpoints.folder / checkpoints.kept[place].path).read_text(encoding="utf-8")


def folders(folder):
    return sorted(each.name for each in Path(folder).iterdir() if each.is_dir())


@pytest.fixture
def told():
    return []


@pytest.fixture
def checkpoints(tmp_path, told):
    return Checkpoints(tmp_path / "kept", tell=told.append)


def test_best_last_and_last_healthy_are_kept_and_nothing_more(checkpoints):
    checkpoints.offer(100, writes("a"), healthy=True, score=1.0)
    checkpoints.offer(200, writes("b"), healthy=True, score=9.0)
    checkpoints.offer(300, writes("c"), healthy=True, score=5.0)
    where = checkpoints.offer(400, writes("d"), healthy=False, score=None)
    assert {place: state(checkpoints, place) for place in checkpoints.kept} == {
        "best": "b",
        "healthy": "c",
        "last": "d",
    }
    assert Path(where).read_text(encoding="utf-8") == "d"
    assert folders(checkpoints.folder) == ["checkpoint-200", "checkpoint-300", "checkpoint-400"]


def test_one_state_in_several_places_is_saved_once(checkpoints):
    saved = []
    checkpoints.offer(1, lambda path: saved.append(path) or writes("a")(path), healthy=True, score=1.0)
    assert len(saved) == 1
    assert folders(checkpoints.folder) == ["checkpoint-1"]


def test_the_index_tells_names_and_steps_and_is_read_again(checkpoints, told):
    checkpoints.offer(100, writes("a"), healthy=True, score=1.5)
    checkpoints.failed(140, writes("x"), "OPT300 at policy.kl")
    index = json.loads((checkpoints.folder / "checkpoints.json").read_text(encoding="utf-8"))
    assert index["best"] == {
        "step": 100.0, "path": "checkpoint-100/state", "healthy": True, "score": 1.5, "reason": "",
    }  # fmt: skip
    assert index["failed"]["reason"] == "OPT300 at policy.kl"
    again = Checkpoints(checkpoints.folder, tell=told.append)
    assert again.kept == checkpoints.kept
    again.offer(200, writes("b"), healthy=True, score=1.0)
    assert {place: state(again, place) for place in again.kept} == {
        "best": "a",
        "healthy": "b",
        "last": "b",
        "failed": "x",
    }
    assert told == []


@pytest.mark.parametrize("score", [float("nan"), float("inf"), None, 1.0, 0.5])
def test_what_is_no_better_does_not_become_the_best(checkpoints, score):
    checkpoints.offer(1, writes("a"), healthy=True, score=1.0)
    checkpoints.offer(2, writes("b"), healthy=True, score=score)
    assert state(checkpoints, "best") == "a"


def test_a_save_that_raises_is_told_and_loses_nothing(checkpoints, told):
    checkpoints.offer(100, writes("a"), healthy=True, score=1.0)
    before = (checkpoints.folder / "checkpoints.json").read_bytes()
    assert checkpoints.offer(200, dies_half_way, healthy=True, score=2.0) is None
    assert checkpoints.failed(200, dies_half_way, "why") is None
    assert told == ["the state at step 200 could not be saved: OSError: No space left on device"] * 2
    assert (checkpoints.folder / "checkpoints.json").read_bytes() == before
    assert {place: state(checkpoints, place) for place in checkpoints.kept} == dict.fromkeys(
        ("best", "last", "healthy"), "a"
    )
    assert sorted(os.listdir(checkpoints.folder)) == ["checkpoint-100", "checkpoints.json"]


def test_a_save_that_writes_nothing_is_no_checkpoint(checkpoints, told):
    assert checkpoints.offer(1, lambda path: None, healthy=True, score=None) is None
    assert "nothing was written" in told[0]
    assert checkpoints.rollback() is None


def test_an_interrupt_goes_through_and_leaves_no_half(checkpoints):
    def interrupted(path):
        writes("half")(path)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        checkpoints.offer(1, interrupted, healthy=True, score=None)
    assert os.listdir(checkpoints.folder) == []


KILLED = """
import os, sys
from pathlib import Path
from weaklink.collect.monitor.checkpoints import Checkpoints

def killed(path):
    Path(path).write_text("half")
    os._exit(9)

kept = Checkpoints(sys.argv[1])
kept.offer(100, lambda path: Path(path).write_text("whole"), healthy=True, score=1.0)
kept.offer(200, killed, healthy=True, score=2.0)
"""


def test_a_process_that_dies_while_saving_leaves_the_one_before(tmp_path, told):
    done = subprocess.run([sys.executable, "-c", KILLED, str(tmp_path)], check=False)
    assert done.returncode == 9
    after = Checkpoints(tmp_path, tell=told.append)
    assert state(after, "last") == "whole"
    assert after.rollback().startswith(str(tmp_path / "checkpoint-100"))
    after.offer(300, writes("b"), healthy=True, score=None)
    assert sorted(os.listdir(tmp_path)) == ["checkpoint-100", "checkpoint-300", "checkpoints.json"]
    assert told == []


def test_the_old_one_goes_only_when_the_new_one_is_complete(checkpoints):
    checkpoints.offer(1, writes("a"), healthy=True, score=None)
    seen = []

    def looks_back(path):
        seen.append(state(checkpoints, "last"))
        writes("b")(path)

    checkpoints.offer(2, looks_back, healthy=True, score=None)
    assert seen == ["a"]
    assert folders(checkpoints.folder) == ["checkpoint-2"]


def test_an_index_that_cannot_be_written_keeps_the_old_state(checkpoints, told):
    checkpoints.offer(1, writes("a"), healthy=True, score=None)
    (checkpoints.folder / "checkpoints.json.new").mkdir()
    assert checkpoints.offer(2, writes("b"), healthy=True, score=None) is None
    assert state(checkpoints, "last") == "a"
    assert folders(checkpoints.folder) == ["checkpoint-1", "checkpoints.json.new"]
    assert len(told) == 1


def saves_with_an_ending(path):
    Path(f"{path}.zip").write_bytes(b"zip")


def saves_a_folder(path):
    os.makedirs(path)
    (Path(path) / "weights").write_bytes(b"w")


def saves_two_files(path):
    Path(f"{path}.pt").write_bytes(b"w")
    Path(f"{path}.json").write_bytes(b"{}")


@pytest.mark.parametrize(
    ("save", "path"),
    [
        (saves_with_an_ending, "checkpoint-7/state.zip"),
        (saves_a_folder, "checkpoint-7/state"),
        (saves_two_files, "checkpoint-7"),
    ],
)
def test_whatever_a_framework_writes_is_found(checkpoints, save, path):
    assert checkpoints.offer(7, save, healthy=True, score=None) == str(checkpoints.folder / path)
    assert checkpoints.kept["last"].path == path
    assert (checkpoints.folder / path).exists()


def test_the_same_step_twice(checkpoints):
    checkpoints.offer(5, writes("a"), healthy=True, score=None)
    checkpoints.failed(5, writes("x"), "why")
    assert (state(checkpoints, "last"), state(checkpoints, "failed")) == ("a", "x")
    assert folders(checkpoints.folder) == ["checkpoint-5", "checkpoint-5-2"]


def test_where_to_go_back_to(checkpoints):
    assert checkpoints.rollback() is None
    checkpoints.offer(100, writes("a"), healthy=False, score=3.0)
    best = checkpoints.folder / "checkpoint-100" / "state"
    assert checkpoints.rollback() == f"{best} (step 100: the best evaluation, none was healthy)"
    checkpoints.offer(200, writes("b"), healthy=True, score=1.0)
    healthy = checkpoints.folder / "checkpoint-200" / "state"
    checkpoints.failed(250, writes("x"), "OPT300 non-finite: policy.kl is not a number.")
    told = "step 200: the last healthy state, before OPT300 non-finite: policy.kl is not a number"
    assert checkpoints.rollback() == f"{healthy} ({told})"
    checkpoints.offer(300, writes("c"), healthy=True, score=None)
    assert checkpoints.rollback().endswith("(step 300: the last healthy state)")


def test_a_checkpoint_that_somebody_removed_is_not_named(checkpoints):
    checkpoints.offer(100, writes("a"), healthy=True, score=3.0)
    checkpoints.offer(200, writes("b"), healthy=True, score=1.0)
    (checkpoints.folder / "checkpoint-200" / "state").unlink()
    assert "checkpoint-100" in checkpoints.rollback()


def test_a_damaged_index_is_told_and_nothing_is_removed(tmp_path, told):
    (tmp_path / "checkpoints.json").write_text("{half", encoding="utf-8")
    (tmp_path / "checkpoint-1").mkdir()
    checkpoints = Checkpoints(tmp_path, tell=told.append)
    assert len(told) == 1
    checkpoints.offer(1, writes("a"), healthy=True, score=None)
    assert folders(tmp_path) == ["checkpoint-1", "checkpoint-1-2"]


def test_files_of_others_are_left_alone(tmp_path):
    (tmp_path / "metrics.jsonl").write_text("{}", encoding="utf-8")
    (tmp_path / "mine").mkdir()
    outside = {"step": 1.0, "path": "mine/state", "healthy": True}
    (tmp_path / "checkpoints.json").write_text(json.dumps({"last": outside}), encoding="utf-8")
    checkpoints = Checkpoints(tmp_path)
    checkpoints.offer(1, writes("a"), healthy=True, score=None)
    checkpoints.offer(2, writes("b"), healthy=True, score=None)
    assert sorted(os.listdir(tmp_path)) == ["checkpoint-2", "checkpoints.json", "metrics.jsonl", "mine"]


def test_by_default_a_failure_is_told_on_the_terminal(tmp_path, capsys):
    Checkpoints(tmp_path).offer(1, dies_half_way, healthy=True, score=None)
    assert (
        capsys.readouterr().err
        == "weaklink: the state at step 1 could not be saved: OSError: No space left on device\n"
    )
