"""Scripts run by Python alone and by `weaklink.run`, with what they printed."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import weaklink

SCRIPTS = Path(__file__).parent / "scripts"


def run_alone(script: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """As Python runs it."""
    command = [sys.executable, str(SCRIPTS / script), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def run_watched(capfd, folder: Path, script: str, *arguments: str, **options) -> tuple[weaklink.Ran, str, str]:
    """How it ended, what it printed, and what stood on its standard error; without a survey unless one is asked for."""
    capfd.readouterr()
    ran = weaklink.run([str(SCRIPTS / script), *arguments], folder=folder, **{"survey": False, **options})
    return ran, *capfd.readouterr()


def list_recordings(folder: Path) -> list[str]:
    """The names of the recordings below a folder."""
    return sorted(os.listdir(folder)) if folder.is_dir() else []


def drop_own_lines(text: str) -> str:
    """Standard error without the lines of weaklink."""
    return "".join(line for line in text.splitlines(keepends=True) if not line.startswith("weaklink: "))
