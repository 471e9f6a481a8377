from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.logs import call, healthy_log, sick_log
from tests.unwrapping import unwrapped

EXAMPLES = Path(__file__).parents[2] / "examples"


def test_judge_runs(tmp_path):
    sick_log(tmp_path / "sick")
    healthy_log(tmp_path / "well")
    (tmp_path / "bad").mkdir()
    (tmp_path / "bad" / "progress.csv").touch()
    done = subprocess.run(
        [sys.executable, EXAMPLES / "judge_runs.py", tmp_path], capture_output=True, text=True, check=True
    )
    assert "sick: broken, policy broke first" in unwrapped(done.stdout)
    assert "well: healthy, judged by" in unwrapped(done.stdout)


def test_the_output_in_the_readme_is_real():
    run = EXAMPLES / "broken_run"
    told = (EXAMPLES.parent / "README.md").read_text(encoding="utf-8")
    shown = call("diagnose", run.relative_to(EXAMPLES.parent), cwd=EXAMPLES.parent).stdout
    assert shown.startswith("BROKEN")
    assert shown.splitlines()[0] in told


@pytest.mark.whole
def test_the_broken_environment_of_the_readme_is_found_broken():
    target = "examples/broken_env.py:make"
    told = (EXAMPLES.parent / "README.md").read_text(encoding="utf-8")
    shown = call("preflight", target, "--seconds", "20", cwd=EXAMPLES.parent)
    assert shown.returncode == 1
    assert shown.stdout.startswith("BROKEN  One action dimension changes nothing")
    for line in shown.stdout.splitlines()[:3]:
        assert line in told


@pytest.mark.whole
def test_the_broken_trainer_of_the_readme_is_found_broken():
    told = (EXAMPLES.parent / "README.md").read_text(encoding="utf-8")
    read = call("probe", "examples/broken_ppo.py:train", "--only", "ReadUpdate", cwd=EXAMPLES.parent)
    assert read.returncode == 1
    assert "RET203 wrong-continuation · returns" in read.stdout
    assert read.stdout.splitlines()[0] in told
    assert "truncation treated as termination" in unwrapped(read.stdout)
