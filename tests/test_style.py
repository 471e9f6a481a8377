"""Style and types are tests like any other."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FOLDERS = [folder for folder in ("src", "tests", "bench", "examples") if (ROOT / folder).is_dir()]


# numpy's stubs import typing.Self, which is Any for the oldest Python: what is returned or ignored differs there
OLDEST = ["mypy", "--python-version", "3.10", "--no-warn-return-any", "--no-warn-unused-ignores"]


@pytest.mark.parametrize(
    "command",
    [["ruff", "check", *FOLDERS], ["ruff", "format", "--check", *FOLDERS], ["mypy"], OLDEST],
    ids=["ruff check", "ruff format", "mypy", "mypy for Python 3.10"],
)
def test_nothing_to_complain_about(command):
    done = subprocess.run([sys.executable, "-m", *command], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
