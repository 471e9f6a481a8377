"""A folder as a tree of its own files: links are not followed out of it, names may be any bytes."""

from __future__ import annotations

import errno
import os
from pathlib import Path, PurePosixPath

import msgspec

from weaklink.collect.readers._files import make_natural_key

DEEPEST = 40
SKIPPED_FOLDERS = frozenset(("node_modules", "__pycache__", "site-packages", "lost+found"))
SKIPPED_SUFFIXES = frozenset((
    ".py", ".pyc", ".pt", ".pth", ".pkl", ".pickle", ".bin", ".safetensors", ".onnx", ".ckpt", ".h5", ".png", ".jpg",
    ".jpeg", ".gif", ".mp4", ".svg", ".pdf", ".html", ".js", ".css", ".md", ".so", ".ipynb", ".npy", ".parquet",
    ".arrow", ".tar", ".gz", ".xml", ".toml", ".sh", ".c", ".cpp", ".h",
))  # fmt: skip
LOG_FOLDERS = frozenset((".summary",))
"""Hidden folders that trainers log into: Sample Factory has one for each experiment."""

LOG_SUFFIXES = frozenset((".csv", ".tsv", ".jsonl", ".wandb", ".npz"))


class WalkedFolder(msgspec.Struct):
    """One folder: its files and folders in natural order, and the ones that could not be opened."""

    path: Path
    files: list[Path] = []
    folders: list[WalkedFolder] = []
    refused: list[tuple[Path, OSError]] = []

    def below(self) -> list[WalkedFolder]:
        """This folder and all below it."""
        return [self, *(deeper for folder in self.folders for deeper in folder.below())]


def walk_tree(root: Path) -> WalkedFolder:
    """The tree below a folder.

    A link to a file is followed where it leads to a place inside of the root, once; links to folders never are,
    since what they lead to inside of the root is met anyway.
    """
    seen: set[str] = set()
    return _walk(root, os.path.realpath(root), 0, seen)


def _walk(path: Path, root: str, depth: int, seen: set[str]) -> WalkedFolder:
    folder = WalkedFolder(path)
    try:
        with os.scandir(path) as found:
            entries = sorted(found, key=lambda entry: make_natural_key(entry.name))
    except OSError as error:
        folder.refused.append((path, error))
        return folder
    if depth and any(entry.name == "pyvenv.cfg" for entry in entries):
        return folder
    for entry in entries:
        try:
            if entry.is_dir(follow_symlinks=False):
                if _is_wanted(entry.name) and depth < DEEPEST:
                    child = _walk(Path(entry.path), root, depth + 1, seen)
                    folder.folders.append(child)
                    folder.refused.extend(child.refused)
            elif _is_log(entry, root, seen):
                _check_readable(entry)
                folder.files.append(Path(entry.path))
        except OSError as error:
            folder.refused.append((Path(entry.path), error))
    return folder


def _check_readable(entry: os.DirEntry[str]) -> None:
    """Raises where a file that is surely a log cannot be opened; of other files nobody needs to hear."""
    sure = os.path.splitext(entry.name)[1].lower() in LOG_SUFFIXES or "tfevents" in entry.name
    if sure and not os.access(entry.path, os.R_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), entry.path)


def _is_wanted(name: str) -> bool:
    return name in LOG_FOLDERS or (not name.startswith(".") and name not in SKIPPED_FOLDERS)


def may_be_log(place: PurePosixPath) -> bool:
    """Whether a file of a tree is looked at, as far as its place below the root tells."""
    return all(map(_is_wanted, place.parts[:-1])) and _has_log_name(place.name)


def _has_log_name(name: str) -> bool:
    return not name.startswith(".") and os.path.splitext(name)[1].lower() not in SKIPPED_SUFFIXES


def _is_log(entry: os.DirEntry[str], root: str, seen: set[str]) -> bool:
    """Whether a file may be a log: a regular one with no suffix that rules it out, met for the first time."""
    if not _has_log_name(entry.name):
        return False
    if not entry.is_symlink():
        return entry.is_file()
    target = os.path.realpath(entry.path)
    inside = os.path.commonpath((root, target)) == root
    if not inside or target in seen or not os.path.isfile(target):
        return False
    seen.add(target)
    # a file that is not hidden is met at its own place
    return any(part.startswith(".") for part in Path(os.path.relpath(target, root)).parts)
