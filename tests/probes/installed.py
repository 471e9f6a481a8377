"""A Python in which weaklink counts as installed, however these tests were started."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

SOURCES = Path(__file__).parents[2] / "src"
HOOK = ("weaklink_gymnasium.pth", "_weaklink_gymnasium.py")


def environment_of(folder: Path) -> dict[str, str]:
    """Environment variables with which Python reads the `.pth` file at its start, as it does from `site-packages`."""
    site = folder / "site"
    site.mkdir(exist_ok=True)
    for name in HOOK:
        shutil.copy(SOURCES / name, site)
    (site / "sitecustomize.py").write_text(f"import site\nsite.addsitedir({str(site)!r})\n")
    (site / "sources.pth").write_text(f"{SOURCES}\n")
    return {**os.environ, "PYTHONPATH": str(site)}
