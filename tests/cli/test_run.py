"""`weaklink run`: the script's words, output and status are its own; the diagnosis stands beside them."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import urllib.request

import pytest

from tests.cli.logs import call_here
from tests.patience import PATIENCE
from tests.run.running import SCRIPTS

pytest.importorskip("gymnasium")
TABULAR = str(SCRIPTS / "tabular.py")


def call(*words, folder):
    command = [sys.executable, "-m", "weaklink", "run", *words]
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder)


def test_output_is_the_scripts_and_the_diagnosis_stands_beside(tmp_path):
    done = call(TABULAR, "exit", "--help", folder=tmp_path)
    assert (done.returncode, done.stdout) == (7, "trained 0.615 False\n")
    assert "weaklink: A training loop of the script's own is watched" in done.stderr
    assert "weaklink-runs/tabular/loop · " in done.stderr
    assert "No optimizer of torch made a step" in done.stderr


def test_findings_count_only_where_they_are_asked_for_and_a_file_takes_the_diagnosis(tmp_path):
    options = "--fail-on", "info", "-f", "json", "-o", str(tmp_path / "told.json"), "--out", "runs"
    (tmp_path / "train.py").write_text((SCRIPTS / "tabular.py").read_text())
    done = call(*options, "-m", "train", folder=tmp_path)
    told = json.loads((tmp_path / "told.json").read_text())
    assert told["command"] == "diagnose"
    assert told["target"] == "runs/loop"
    assert done.returncode == (1 if told["findings"] else 0)
    again = call(*options[:2], "--out", "runs", "-m", "train", "exit", folder=tmp_path)
    assert again.returncode == 7  # a script that fails keeps its own status
    left = set(os.listdir(tmp_path)) - {"__pycache__"}
    assert left == {"runs", "runs-2", "told.json", "train.py"}


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("missing.py",), "There is no script missing.py."),
        (("json",), "Did you mean `weaklink run -m json`?"),
        (("--budget", "3", TABULAR), "budget is a share of the time"),
        (("--open", TABULAR), "Add --serve"),
        (("--out", TABULAR, TABULAR), "it is a file"),
    ],
)
def test_wrong_use_runs_nothing(words, said, tmp_path):
    done = call_here("run", *words, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr
    assert os.listdir(tmp_path) == []


def test_a_script_that_trains_nothing_is_said_to(tmp_path):
    (tmp_path / "hello.py").write_text("import sys; print(sys.argv, __name__)\n")
    done = call("hello.py", "-x", "--", "y", folder=tmp_path)
    assert (done.returncode, done.stdout) == (0, "['hello.py', '-x', '--', 'y'] __main__\n")
    assert "Nothing was recorded." in done.stderr
    assert os.listdir(tmp_path) == ["hello.py"]


def test_ranks_record_into_one_folder_and_the_first_speaks(tmp_path):
    """Both ranks start at once; that the second one waits for the first to choose the folder needs no process group."""
    words = [sys.executable, "-m", "weaklink", "run", TABULAR, "exit"]
    launch = {**os.environ, "WORLD_SIZE": "2", "MASTER_ADDR": "here", "MASTER_PORT": "1"}
    ranks = [
        subprocess.Popen(
            words,
            cwd=tmp_path,
            env={**launch, "RANK": str(rank)},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for rank in (1, 0)
    ]
    second, first = (rank.communicate(timeout=PATIENCE) for rank in ranks)
    assert [rank.returncode for rank in ranks] == [7, 7]
    assert second[1] == ""
    assert "recorded into weaklink-runs/tabular/loop" in first[1]
    (folder,) = (tmp_path / "weaklink-runs").iterdir()
    assert sorted(os.listdir(folder)) == ["loop"]
    assert sorted(os.listdir(folder / "loop")) == ["rank-1", "weaklink.jsonl"]


@pytest.mark.slow
def test_the_page_is_served_while_the_script_runs(tmp_path):
    pytest.importorskip("uvicorn")
    child = subprocess.Popen(
        [sys.executable, "-m", "weaklink", "run", "--serve", "0", TABULAR, "wait"],
        cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    address = re.search(r"http://\S+", child.stderr.readline())[0]
    while child.stdout.readline() != "waiting\n":
        assert child.poll() is None
    shown = ""
    while "tabular/loop" not in shown:
        assert child.poll() is None
        shown = urllib.request.urlopen(address.replace("?", "document?")).read().decode()
    child.send_signal(signal.SIGTERM)
    child.communicate(timeout=PATIENCE)
    assert child.returncode == -signal.SIGTERM
