"""A folder of our own in which a script runs as if it ran in the user's: what it writes there is removed with it."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path

LARGEST_COPY = 10_000_000
"""Bytes; larger files are linked to."""

MOST_ENTRIES = 2000
"""In a folder with more, what is left is not shown to the script."""

WRITTEN = re.compile(
    r"run|log|wandb|video|output|result|checkpoint|ckpt|model|save|weight|tensorboard|plot|figure|trained|eval"
    r"|weaklink-|node_modules|__pycache__"
)
"""How folders are called that scripts write into. One that holds code is read all the same."""


class WorkFolder:
    """The folder in which the user called us, once more: its files copied, its folders linked to.

    Folders that are there for what scripts write are left out, so that the script makes its own.
    """

    def __init__(self, path: Path, origin: Path) -> None:
        self.path = path
        self._copied: dict[Path, float] = {}
        path.mkdir(parents=True, exist_ok=True)
        for count, entry in enumerate(os.scandir(origin)):
            if count >= MOST_ENTRIES:
                break
            try:
                self._show(entry)
            except OSError:  # what cannot be read here cannot be read by the script either
                continue

    def _show(self, entry: os.DirEntry[str]) -> None:
        shown = self.path / entry.name
        if entry.is_dir():
            if not WRITTEN.search(entry.name.lower()) or any(Path(entry.path).glob("*.py")):
                shown.symlink_to(entry.path, target_is_directory=True)
        elif entry.name.endswith(".py") or entry.stat().st_size > LARGEST_COPY:
            shown.symlink_to(entry.path)
        elif entry.is_file():
            shutil.copy2(entry.path, shown)
            self._copied[shown] = shown.stat().st_mtime

    def keep_written(self) -> Path:
        """The folder with nothing in it but what the script wrote."""
        for file, written in self._copied.items():
            if file.exists() and file.stat().st_mtime == written:
                file.unlink()
        return self.path
