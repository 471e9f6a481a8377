"""`weaklink debug`: what it prints, keeps and exits with."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.case.projects import BLIND, ROOM, survey_briefly, trains, written
from tests.cli.logs import invoke
from tests.patience import PATIENCE, wait_for_turns, wait_until
from tests.unwrapping import unwrapped

pytest.importorskip("gymnasium")


def ran(*words: str) -> Any:
    return invoke("debug", *words)


def test_a_broken_project_as_data_and_again_as_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(sys.modules, "stable_baselines3", None)  # its checker would load torch
    survey_briefly(monkeypatch)
    written(tmp_path, BLIND)
    told = ran("project.py", "--seconds", "60", "--format", "json")
    assert (told.exit_code, told.stderr) == (1, "")
    body = json.loads(told.stdout)
    assert (body["command"], body["verdict"], body["stage_of_break"]) == ("debug", "broken", "preflight")
    assert body["first_break"]["link"] == "observation"
    assert [stage["stage"] for stage in body["stages"]] == ["preflight"]
    assert body["checklists"]["before training"]
    assert body["folder"] == "weaklink-case/project"
    assert "BROKEN: observation" in Path(body["folder"], "case.md").read_text()
    again = ran("project.py", "--seconds", "60", "--fail-on", "never", "-v")
    text = unwrapped(again.stdout)
    assert again.exit_code == 0
    assert "kept from before" in text
    assert "Mend this first, or add --all" in text
    assert invoke("report", body["folder"], "--format", "markdown").exit_code == 0


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("project.py",), "defines no make_env"),
        (("nowhere.py",), "There is no file nowhere.py"),
        (("project.py", "--only", "breakfast"), "--only takes one of preflight"),
        (("project.py", "--seconds", "1"), "--seconds must be at least 10"),
    ],
)
def test_wrong_use_is_one_line_and_2(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...], message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    written(tmp_path, "steps = 3\n")
    told = ran(*words)
    assert told.exit_code == 2
    assert message in told.stderr


@pytest.mark.skipif(os.name != "posix", reason="sends a signal")
def test_ctrl_c_keeps_what_was_found(tmp_path: Path) -> None:
    file = written(tmp_path, trains("time.sleep(600)"))
    words = [sys.executable, "-m", "weaklink", "debug", file, "-v", "--skip", "preflight", "--skip", "probe"]
    output = tmp_path / "weaklink-case" / "project" / "output" / "watch.txt"
    with subprocess.Popen(words, cwd=tmp_path, stdout=subprocess.PIPE, text=True) as process:
        try:
            wait_until(lambda: output.is_file() and "about to go wrong" in output.read_text())
            wait_for_turns(process.pid, 10)
        finally:
            process.send_signal(signal.SIGINT)
            told, _ = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130
    assert "stopped after" in told
    assert "The same command goes on" in told


def test_an_environment_without_a_trainer_is_looked_at_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(sys.modules, "stable_baselines3", None)  # its checker would load torch
    survey_briefly(monkeypatch)
    written(tmp_path, ROOM)
    told = ran("project.py", "--seconds", "60", "--format", "markdown")
    assert told.exit_code == 0
    assert "| skipped | the target has neither make\\_model nor train |" in unwrapped(told.stdout)


@pytest.mark.parametrize(
    ("words", "cure"),
    [
        pytest.param(("--algo", "sb3:Nope"), "Known: A2C", marks=pytest.mark.whole),
        (("--algo", "sb3:PPO", "--set-up", "nope=3"), "It takes n_envs, batch_size"),
    ],
)
def test_an_algorithm_or_a_setting_that_does_not_exist_is_a_matter_of_use(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...], cure: str
) -> None:
    monkeypatch.chdir(tmp_path)
    told = ran(*words, "--env", "CartPole-v1")
    assert told.exit_code == 2
    assert cure in told.stderr


def test_a_file_where_the_folder_of_the_case_should_be_is_wrong_use(tmp_path: Path) -> None:
    target = written(tmp_path, BLIND)
    told = ran(str(target), "--case", str(tmp_path / "project.py"))
    assert told.exit_code == 2
    assert "Name another with --case" in unwrapped(told.stderr)
