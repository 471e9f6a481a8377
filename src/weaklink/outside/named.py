"""What `module:name` or `file.py:name` stands for."""

from __future__ import annotations

import sys
from importlib import import_module, util
from pathlib import Path
from typing import Any

from weaklink.errors import UsageError


def named(word: str, what: str) -> Any:
    """The thing of this name; `what` says in errors what it was wanted for."""
    module, colon, name = word.rpartition(":")
    if not colon or not module or not name:
        raise UsageError(f"{what} is given as module:name or file.py:name, not '{word}'.")
    thing: Any = module_of(module, what)
    for part in name.split("."):
        if not hasattr(thing, part):
            raise UsageError(f"{what}: {module} has no '{part}' (from '{word}').")
        thing = getattr(thing, part)
    return thing


def module_of(word: str, what: str) -> Any:
    """The module of this name, or that a file is; `what` says in errors what it was wanted for."""
    _importable(Path.cwd())
    try:
        return _from_file(Path(word), what) if word.endswith(".py") else import_module(word)
    except ImportError as error:
        raise UsageError(f"{what}: cannot import {word}: {error}. Run from the folder that holds it.") from None


def _from_file(path: Path, what: str) -> Any:
    if not path.is_file():
        raise UsageError(f"{what}: there is no file {path}.")
    spec = util.spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None:
        raise UsageError(f"{what}: {path} is no Python file.")
    _importable(path.resolve().parent)  # it may import its neighbours
    module = util.module_from_spec(spec)
    sys.modules.setdefault(path.stem, module)
    spec.loader.exec_module(module)
    return module


def _importable(folder: Path) -> None:
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))
