"""Builds the page's script and look with npm before the package is put together, wherever they are missing or old."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

COMMANDS = (("ci", "--ignore-scripts", "--no-audit", "--no-fund"), ("run", "build"))
BUILT = ("page.js", "page.css")


class PageBuildHook(BuildHookInterface):  # type: ignore[type-arg]
    """Runs for wheels, source archives and editable installs alike."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Builds the page, or says in one line why it is not there."""
        root = Path(self.root)
        web, built = root / "web", root / "src" / "weaklink" / "show" / "renderers" / "built"
        if _is_fresh([built / name for name in BUILT], _sources(web)):
            return
        why = _build(web)
        if why:
            state = "is older than its sources" if (built / BUILT[0]).exists() else "is not built"
            print(f"weaklink: the page {state}: {why}; --format html needs `make page`.", file=sys.stderr)


def _sources(web: Path) -> list[Path]:
    return [*web.glob("src/*"), *web.glob("*.json"), *web.glob("*.mjs")]


def _is_fresh(built: list[Path], sources: Iterable[Path]) -> bool:
    """Whether all is there and no source is newer; a source archive without sources holds what was built."""
    if not all(file.exists() for file in built):
        return False
    oldest = min(file.stat().st_mtime for file in built)
    return all(source.stat().st_mtime <= oldest for source in sources)


def _build(web: Path) -> str:
    """Has npm install and build; gives back what went wrong, if anything."""
    npm = shutil.which("npm")
    if npm is None:
        return "npm was not found"
    for command in COMMANDS:
        done = subprocess.run([npm, *command], cwd=web, capture_output=True, text=True, check=False)
        if done.returncode:
            last = (done.stderr or done.stdout).strip().splitlines()
            return f"`npm {command[0]}` failed{f' ({last[-1]})' if last else ''}"
    return ""
