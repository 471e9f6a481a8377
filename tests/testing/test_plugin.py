from __future__ import annotations

import subprocess
import sys

import pytest

from tests.sparing import spare
from tests.testing.suites import ROOT, TRAINERS, installed, outcomes, run
from tests.unwrapping import unwrapped
from weaklink.base.backports import parse_toml

PASSING = "def test_one():\n    pass\n"
PROBED = f"""
import sys
sys.path.insert(0, {str(TRAINERS.parent)!r})
import tabular
from weaklink.testing import parametrize_with_probes

@parametrize_with_probes(tabular.train, only=["constant-reward"])
def test_learns(check):
    check()

def test_other():
    pass
"""


@pytest.fixture
def packages(tmp_path):
    return installed(tmp_path)


def test_the_entry_point_is_declared():
    project = parse_toml((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["entry-points"]["pytest11"] == {"weaklink": "weaklink.testing.plugin"}


def test_loading_the_plugin_loads_no_numbers():
    code = "import weaklink.testing.plugin, sys; print(sorted({'numpy', 'msgspec', 'torch'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_other_suites_are_left_alone(tmp_path, packages):
    (tmp_path / "test_theirs.py").write_text(PASSING)
    assert outcomes(run(tmp_path, packages=packages)) == {"passed": 1}


def test_the_option_adds_the_ladder(tmp_path, packages):
    (tmp_path / "test_theirs.py").write_text(PASSING)
    words = ["--weaklink-trainer", f"{TRAINERS}:short_sighted", "--weaklink-seeds", "2"]
    only = [word for rung in ("PRB101", "delayed-reward", "q-values") for word in ("--weaklink-only", rung)]
    done = run(tmp_path, *words, *only, packages=packages)
    assert outcomes(done) == {"passed": 2, "failed": 1, "skipped": 1}, done.stdout
    assert "PRB103 delayed-reward: On " in done.stdout
    assert "What to do:" in unwrapped(done.stdout)
    assert "weaklink::DelayedReward" in done.stdout


def test_the_ladder_alone_is_chosen_by_its_marker(tmp_path, packages):
    (tmp_path / "test_theirs.py").write_text(PASSING)
    words = ["--weaklink-trainer", f"{TRAINERS}:train", "--weaklink-only", "two-actions"]
    assert outcomes(run(tmp_path, *words, "-m", "weaklink_probe", packages=packages)) == {"passed": 1, "deselected": 1}
    assert outcomes(run(tmp_path, *words, "-m", "not weaklink_probe", packages=packages)) == {
        "passed": 1,
        "deselected": 1,
    }


def test_tests_of_the_decorator_have_the_marker_too(tmp_path, packages):
    (tmp_path / "test_mine.py").write_text(PROBED)
    done = run(tmp_path, "-m", "weaklink_probe", packages=packages)
    assert outcomes(done) == {"passed": 1, "deselected": 1}, done.stdout


def test_wrong_words_are_one_line(tmp_path, packages):
    done = run(tmp_path, "--weaklink-trainer", f"{TRAINERS}:nobody", packages=packages)
    assert done.returncode == pytest.ExitCode.USAGE_ERROR
    assert "has no 'nobody'" in unwrapped(done.stderr)
    assert "Traceback" not in done.stdout + done.stderr


@pytest.mark.parametrize(
    ("content", "told"),
    spare(
        [("1 / 0\n", "ZeroDivisionError"), ("import sys\nsys.exit(0)\n", "sys.exit(0)")], lambda one: "exit" in one[1]
    ),
)
def test_a_trainer_that_cannot_be_loaded_is_one_line(tmp_path, packages, content, told):
    (tmp_path / "boom.py").write_text(content)
    done = run(tmp_path, "--weaklink-trainer", "boom.py:train", packages=packages)
    assert done.returncode == pytest.ExitCode.USAGE_ERROR
    assert "Loading boom.py " in done.stderr
    assert told in done.stderr
    assert "INTERNALERROR" not in done.stdout + done.stderr


def test_the_plugin_can_be_left_out(tmp_path, packages):
    (tmp_path / "test_mine.py").write_text(PROBED)
    assert outcomes(run(tmp_path, "-p", "no:weaklink", packages=packages)) == {"passed": 2}
    done = run(tmp_path, "-p", "no:weaklink", "--weaklink-trainer", "a:b", packages=packages)
    assert "unrecognized arguments" in unwrapped(done.stderr)
