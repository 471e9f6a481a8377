"""The context of a run: what is needed to repeat it, and no secret."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time

import pytest

from tests.counting import count_lines
from tests.patience import no_hang
from weaklink.base.evidence.store import encode_line
from weaklink.base.privacy import HIDDEN, hide_in_arguments
from weaklink.collect.monitor import context
from weaklink.collect.monitor.context import describe_quickly, describe_slowly, experiment_context


def git(folder, *words: str) -> str:
    identity = ["-c", "user.name=A", "-c", "user.email=a@example.com", "-c", "init.defaultBranch=main"]
    done = subprocess.run(["git", *identity, *words], cwd=folder, check=True, capture_output=True, text=True)
    return done.stdout.strip()


def test_what_is_found():
    before = time.time()
    found = experiment_context(
        {"seed": 3, "env": {"train_seed": 4, "max_seed_count": "x"}, "seeds": 5, "seeding": 6},
        evaluation={"episodes": 10},
        accelerator={"name": "none"},
    )
    assert found["seeds"] == {"seed": 3, "env.train_seed": 4}
    assert found["evaluation"] == {"episodes": 10}
    assert found["accelerator"] == {"name": "none"}
    assert found["pid"] == os.getpid()
    assert found["cpus"] >= 1
    assert found["memory_bytes"] > 1 << 20
    assert before <= found["started"] <= time.time()
    assert found["versions"]["python"].startswith("3.")
    assert {"weaklink", "numpy"} <= set(found["versions"])
    assert json.loads(encode_line(found))


def test_quick_is_quick(monkeypatch):
    describe_quickly({"seed": 1})
    monkeypatch.setattr("subprocess.Popen", None)
    assert count_lines(lambda: describe_quickly({"seed": 1})) < 5_000


def test_nothing_is_loaded_for_it():
    code = (
        "import sys; from weaklink.collect.monitor.context import experiment_context; before = set(sys.modules);"
        "experiment_context({}); print(*(name for name in sys.modules if name in ('torch', 'gymnasium', 'jax')))"
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout.strip() == ""


def test_git(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert describe_slowly()["git"] is None
    git(tmp_path, "init")
    (tmp_path / "file").write_text("1", encoding="utf-8")
    git(tmp_path, "add", "file")
    assert describe_slowly()["git"] == {"commit": None, "branch": "main", "dirty": True}
    git(tmp_path, "commit", "-m", "first")
    commit = git(tmp_path, "rev-parse", "HEAD")
    (tmp_path / "untracked").write_text("1", encoding="utf-8")
    assert describe_slowly()["git"] == {"commit": commit, "branch": "main", "dirty": False}
    (tmp_path / "file").write_text("2", encoding="utf-8")
    assert describe_slowly()["git"] == {"commit": commit, "branch": "main", "dirty": True}


@pytest.mark.parametrize("script", ["sleep 30", "exit 1", "printf '\\377# branch.oid\\n'"])
def test_a_git_that_hangs_or_fails(tmp_path, monkeypatch, script):
    (tmp_path / "git").write_text(f"#!/bin/sh\nexec {script}\n" if "sleep" in script else f"#!/bin/sh\n{script}\n")
    (tmp_path / "git").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path) + os.pathsep + os.environ["PATH"])
    monkeypatch.setattr(context, "GIT_SECONDS", 0.3)
    with no_hang(20):  # less than it sleeps
        found = describe_slowly()
    assert found["git"] is None or found["git"]["commit"] is None


def test_no_git_at_all(monkeypatch):
    monkeypatch.setenv("PATH", "")
    assert describe_slowly()["git"] is None


def test_a_folder_that_is_gone(tmp_path, monkeypatch):
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    found = experiment_context({"seed": 1})
    assert "folder" not in found
    assert found["seeds"] == {"seed": 1}


def test_a_config_that_contains_itself():
    config: dict = {"seed": 1}
    config["again"] = config
    assert describe_quickly(config)["seeds"]["seed"] == 1


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        (["train.py", "--lr", "0.1"], ["train.py", "--lr", "0.1"]),
        (["--api-key=abc"], [f"--api-key={HIDDEN}"]),
        (["--api_key", "abc", "--lr", "1"], ["--api_key", HIDDEN, "--lr", "1"]),
        (["--wandbApiKey", "abc"], ["--wandbApiKey", HIDDEN]),
        (["--hf_token", "abc"], ["--hf_token", HIDDEN]),
        (["hub.token=abc"], [f"hub.token={HIDDEN}"]),
        (["--password"], ["--password"]),
        (["--max-tokens=100", "--tokenizer", "x"], ["--max-tokens=100", "--tokenizer", "x"]),
        (["--key-frames", "3", "monkey=1"], ["--key-frames", "3", "monkey=1"]),
        (["--uri", "https://me:pass@host/x"], ["--uri", f"https://{HIDDEN}@host/x"]),
        (["hf_abcdefghijklmnopqrstuv"], [HIDDEN]),
        (["--use-auth", "--lr", "1"], ["--use-auth", "--lr", "1"]),
    ],
)
def test_secrets_are_hidden(given, shown):
    assert hide_in_arguments(given) == shown
