"""The runs at or below a path, and what to say where there is none or more than one."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from functools import partial
from pathlib import Path

from weaklink.base.errors import CorruptLog, NoReader, ReadError, UsageError
from weaklink.base.evidence.run import Run
from weaklink.collect.readers._assembly import assemble_runs
from weaklink.collect.readers._files import clean, make_natural_key, make_read_error
from weaklink.collect.readers._formats import ANY_JSON, PLAIN, READERS, FoundRun, RunFiles
from weaklink.collect.readers._layout import SETTINGS, find_reader, group_runs, load_reader
from weaklink.collect.readers._walk import walk_tree

MOST_NAMED = 8

# files of a folder that are opened to see whether they hold samples
MOST_OPENED = 20


def read_single_run(path: Path) -> Run:
    """The one run at or below a path."""
    found = find_runs(path)
    readable = [one for one in found if one.formats]
    if len(readable) > 1:
        raise UsageError(_explain_several(path, [one.name for one in readable]))
    if not readable:
        return found[0].read()[0]
    runs = readable[0].read()
    if len(runs) > 1:
        raise UsageError(_explain_several(path, [run.name for run in runs]))
    refusals = tuple(f"left out: {one.source} cannot be opened" for one in found if not one.formats)
    return replace(runs[0], notes=runs[0].notes + refusals) if refusals else runs[0]


def find_runs(path: Path) -> list[FoundRun]:
    """Every run at or below a path; a folder that cannot be opened stands among them and fails when read."""
    kind = _read_mode(path)
    if stat.S_ISDIR(kind):
        return _find_runs_in_folder(path)
    if not stat.S_ISREG(kind):
        raise NoReader(
            f"No reader knows {clean(path)}: it is neither a file nor a folder. "
            "Pipe the log into `weaklink diagnose -`, or save it to a file."
        )
    name = find_reader(path)
    if name is None:
        if not os.access(path, os.R_OK):
            raise make_read_error(path, PermissionError(13, "Permission denied"))
        _refuse_samples(path, [path])
        kinds = _find_formats_by_name(path)
        if kinds:
            fault = "damaged, or something else" if path.stat().st_size else "empty"
            raise CorruptLog(
                f"{clean(path)} is named like {kinds} and is none: it is {fault}. "
                "Copy it again from where it was trained, or name another file."
            )
        raise NoReader(_explain_unknown(path))
    files = RunFiles(path.parent, {name: [path]}, path)
    return [_make_found_run(files, path.name, top=True)]


def _find_runs_in_folder(path: Path) -> list[FoundRun]:
    tree = walk_tree(path)
    runs = group_runs(tree) or group_runs(tree, every_table=True)
    found = [_make_found_run(files, _make_name(files.place, path), top=files.place == path) for files in runs]
    for place, error in tree.refused:
        found.append(FoundRun(_make_name(place, path), clean(place), partial(_refuse, make_read_error(place, error))))
    if found:
        return sorted(found, key=lambda one: make_natural_key(one.name))
    settings = [file for file in tree.files if find_reader(file, ("hyperparameters",)) is not None]
    if settings:
        return [_make_found_run(RunFiles(path, {"hyperparameters": settings}), _make_name(path, path), top=True)]
    _refuse_samples(path, tree.files)
    raise NoReader(_explain_unknown(path))


def _refuse_samples(path: Path, files: Sequence[Path]) -> None:
    """Completions and trajectories are no log; who gives them is told what judges them."""
    import shlex

    from weaklink.collect.readers import json_lines

    if any(json_lines.holds_samples(file) for file in files[:MOST_OPENED]):
        raise NoReader(
            f"{clean(path)} holds samples (prompts and completions, or trajectories) and no curves of a training. "
            f"`weaklink audit {shlex.quote(clean(path))}` judges samples."
        )


def _read_mode(path: Path) -> int:
    try:
        return path.stat().st_mode
    except PermissionError as error:
        raise make_read_error(path, error) from error
    except (OSError, ValueError) as error:
        if isinstance(error, OSError) and error.errno == errno.ELOOP:
            raise NoReader(
                f"No reader knows {clean(path)}: it is a loop of links that leads to no file. Name the file itself."
            ) from error
        raise NoReader(
            f"No reader knows {clean(path)}: there is no such file or folder. "
            f"Check the path; it was looked for from {os.getcwd()}."
        ) from error


def _make_found_run(files: RunFiles, name: str, *, top: bool) -> FoundRun:
    read_as = "" if top and _is_database(files) else name
    read: Callable[[], list[Run]] = partial(assemble_runs, files, read_as)
    return FoundRun(clean(name), clean(files.place), read, files.paths, tuple(files.parts), files, read_as)


def _find_formats_by_name(path: Path) -> str:
    """The formats whose files have names like this one; nothing where the name tells nothing."""
    called = path.name.lower()
    telling = {name: [each for each in patterns if each not in ("*", ANY_JSON)] for name, patterns in READERS.items()}
    matching = (name for name, patterns in telling.items() if any(fnmatchcase(called, each) for each in patterns))
    names = dict.fromkeys(PLAIN.get(name, name) for name in matching)
    modules = [module for name in names if (module := load_reader(name)) is not None]
    return " or ".join(str(module.NAME) for module in modules)


def _is_database(files: RunFiles) -> bool:
    return bool(files.formats & {"mlflow", "trackio"})


def _make_name(place: Path, root: Path) -> str:
    if place == root:
        return root.resolve().name or str(root)
    return place.relative_to(root).as_posix()


def _refuse(error: ReadError) -> list[Run]:
    raise error


def _explain_several(path: Path, names: list[str]) -> str:
    listed = ", ".join(names[:MOST_NAMED]) + (", ..." if len(names) > MOST_NAMED else "")
    return f"{clean(path)} holds {len(names)} runs and one is needed: {listed}. Name one of them."


def _explain_unknown(path: Path) -> str:
    modules = (load_reader(name) for name in READERS if name != SETTINGS)
    looked = ", ".join(str(module.LOOKS_FOR) for module in modules if module is not None)
    slash = "/" if path.is_dir() and not str(path).endswith("/") else ""
    return (
        f"No reader knows {clean(path)}{slash}: looked for {looked}. "
        "Give the file or folder that your trainer logs into, or pipe its console output into `weaklink diagnose -`."
    )
