"""The runs at or below a path, and what to say where there is none or more than one."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable
from dataclasses import replace
from fnmatch import fnmatchcase
from functools import partial
from pathlib import Path

from weaklink.base.errors import CorruptLog, NoReader, ReadError, UsageError
from weaklink.base.evidence.run import Run
from weaklink.collect.readers._assembly import runs_of
from weaklink.collect.readers._files import natural, shown, unreadable
from weaklink.collect.readers._formats import PLAIN, READERS, Found
from weaklink.collect.readers._layout import SETTINGS, RunFiles, reader, reader_of, runs_in
from weaklink.collect.readers._walk import walked

MOST_NAMED = 8


def only_run(path: Path) -> Run:
    """The one run at or below a path."""
    found = found_in(path)
    readable = [one for one in found if one.formats]
    if len(readable) > 1:
        raise UsageError(_several(path, [one.name for one in readable]))
    if not readable:
        return found[0].read()[0]
    runs = readable[0].read()
    if len(runs) > 1:
        raise UsageError(_several(path, [run.name for run in runs]))
    refusals = tuple(f"left out: {one.source} cannot be opened" for one in found if not one.formats)
    return replace(runs[0], notes=runs[0].notes + refusals) if refusals else runs[0]


def found_in(path: Path) -> list[Found]:
    """Every run at or below a path; a folder that cannot be opened stands among them and fails when read."""
    kind = _kind(path)
    if stat.S_ISDIR(kind):
        return _in_folder(path)
    if not stat.S_ISREG(kind):
        raise NoReader(
            f"No reader knows {shown(path)}: it is neither a file nor a folder. "
            "Pipe the log into `weaklink diagnose -`, or save it to a file."
        )
    name = reader_of(path)
    if name is None:
        if not os.access(path, os.R_OK):
            raise unreadable(path, PermissionError(13, "Permission denied"))
        kinds = _named_like(path)
        if kinds:
            fault = "damaged, or something else" if path.stat().st_size else "empty"
            raise CorruptLog(
                f"{shown(path)} is named like {kinds} and is none: it is {fault}. "
                "Copy it again from where it was trained, or name another file."
            )
        raise NoReader(_unknown(path))
    files = RunFiles(path.parent, {name: [path]}, path)
    return [_found(files, path.name, top=True)]


def _in_folder(path: Path) -> list[Found]:
    tree = walked(path)
    runs = runs_in(tree) or runs_in(tree, every_table=True)
    found = [_found(files, _name(files.place, path), top=files.place == path) for files in runs]
    for place, error in tree.refused:
        found.append(Found(_name(place, path), shown(place), partial(_refuse, unreadable(place, error))))
    if found:
        return sorted(found, key=lambda one: natural(one.name))
    settings = [file for file in tree.files if reader_of(file, ("hyperparameters",)) is not None]
    if settings:
        return [_found(RunFiles(path, {"hyperparameters": settings}), _name(path, path), top=True)]
    raise NoReader(_unknown(path))


def _kind(path: Path) -> int:
    try:
        return path.stat().st_mode
    except PermissionError as error:
        raise unreadable(path, error) from error
    except (OSError, ValueError) as error:
        if isinstance(error, OSError) and error.errno == errno.ELOOP:
            raise NoReader(
                f"No reader knows {shown(path)}: it is a loop of links that leads to no file. Name the file itself."
            ) from error
        raise NoReader(
            f"No reader knows {shown(path)}: there is no such file or folder. "
            f"Check the path; it was looked for from {os.getcwd()}."
        ) from error


def _found(files: RunFiles, name: str, *, top: bool) -> Found:
    read: Callable[[], list[Run]] = partial(runs_of, files, "" if top and _is_database(files) else name)
    return Found(shown(name), shown(files.place), read, files.paths, tuple(files.parts))


def _named_like(path: Path) -> str:
    """The formats whose files have names like this one; nothing where the name tells nothing."""
    called = path.name.lower()
    matching = (name for name, patterns in READERS.items() if any(fnmatchcase(called, each) for each in patterns))
    names = dict.fromkeys(PLAIN.get(name, name) for name in matching if READERS[name] != ("*",))
    modules = [module for name in names if (module := reader(name)) is not None]
    return " or ".join(str(module.NAME) for module in modules)


def _is_database(files: RunFiles) -> bool:
    return bool(files.formats & {"mlflow", "trackio"})


def _name(place: Path, root: Path) -> str:
    if place == root:
        return root.resolve().name or str(root)
    return place.relative_to(root).as_posix()


def _refuse(error: ReadError) -> list[Run]:
    raise error


def _several(path: Path, names: list[str]) -> str:
    listed = ", ".join(names[:MOST_NAMED]) + (", ..." if len(names) > MOST_NAMED else "")
    return f"{shown(path)} holds {len(names)} runs and one is needed: {listed}. Name one of them."


def _unknown(path: Path) -> str:
    modules = (reader(name) for name in READERS if name != SETTINGS)
    looked = ", ".join(str(module.LOOKS_FOR) for module in modules if module is not None)
    slash = "/" if path.is_dir() and not str(path).endswith("/") else ""
    return (
        f"No reader knows {shown(path)}{slash}: looked for {looked}. "
        "Give the file or folder that your trainer logs into, or pipe its console output into `weaklink diagnose -`."
    )
