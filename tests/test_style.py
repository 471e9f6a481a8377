"""Style and types are tests like any other."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FOLDERS = [folder for folder in ("src", "tests", "bench", "examples") if (ROOT / folder).is_dir()]


@pytest.mark.parametrize(
    "command",
    [["ruff", "check", *FOLDERS], ["ruff", "format", "--check", *FOLDERS], ["mypy"]],
    ids=["ruff check", "ruff format", "mypy"],
)
def test_nothing_to_complain_about(command):
    done = subprocess.run([sys.executable, "-m", *command], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
