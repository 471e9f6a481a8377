"""Real pytest runs in a folder of their own, with the plugin installed as a package would install it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.patience import PATIENCE

ROOT = Path(__file__).parents[2]
TRAINERS = Path(__file__).with_name("tabular.py")


def installed(folder: Path) -> Path:
    """A folder that holds the plugin's entry point; where weaklink is installed anew it is there already."""
    about = folder / "packages" / "weaklink_entry-0.dist-info"
    about.mkdir(parents=True)
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: weaklink-entry\nVersion: 0\n")
    (about / "entry_points.txt").write_text("[pytest11]\nweaklink = weaklink.testing.plugin\n")
    return about.parent


def run(folder: Path, *options: str, packages: Path | None = None) -> subprocess.CompletedProcess[str]:
    (folder / "pytest.ini").write_text("[pytest]\naddopts = --strict-markers\n")
    paths = [*([] if packages is None else [str(packages)]), str(ROOT / "src")]
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-p", "no:xdist", "-rfs", *options],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
    )


def outcomes(done: subprocess.CompletedProcess[str]) -> dict[str, int]:
    """`{"passed": 2, "failed": 1}` from the last line."""
    words = done.stdout.strip().splitlines()[-1].strip("= ").split(" in ")[0].split(", ")
    return {what: int(count) for count, what in (word.split() for word in words)}
