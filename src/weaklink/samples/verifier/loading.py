"""The function that `module:name` or `file.py:name` stands for."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable
from importlib import import_module, util
from pathlib import Path
from typing import Any

from weaklink.errors import UsageError

MOST_TOLD = 300


def loaded(word: str) -> Callable[..., Any]:
    """The reward function of this name; a class is made into an object."""
    module, colon, name = word.rpartition(":")
    if not colon or not module or not name:
        raise UsageError(f"A verifier is given as module:function or file.py:function, not '{word}'.")
    thing = _module(module)
    for part in name.split("."):
        if not hasattr(thing, part):
            raise UsageError(f"The verifier: {module} has no '{part}' (from '{word}').")
        thing = getattr(thing, part)
    return function_of(thing, word)


def function_of(thing: Any, word: str) -> Callable[..., Any]:
    """What can be called, with its own errors where it cannot be made."""
    try:
        made = thing() if inspect.isclass(thing) else thing
    except Exception as error:
        raise UsageError(f"The verifier {word} is a class that cannot be made without arguments: {error}.") from None
    if not callable(made):
        raise UsageError(f"The verifier must be a function, and {word} is {type(made).__name__}.")
    return made  # type: ignore[no-any-return]


def _module(word: str) -> Any:
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.insert(0, here)
    try:
        return _from_file(Path(word)) if word.endswith(".py") else import_module(word)
    except UsageError:
        raise
    except (Exception, SystemExit) as error:
        told = f"{type(error).__name__}: {' '.join(str(error).split())[:MOST_TOLD]}"
        raise UsageError(f"The verifier: cannot import {word} ({told}). Run from the folder that holds it.") from None


def _from_file(path: Path) -> Any:
    if not path.is_file():
        raise UsageError(f"The verifier: there is no file {path}.")
    spec = util.spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None:
        raise UsageError(f"The verifier: {path} is no Python file.")
    folder = str(path.resolve().parent)
    if folder not in sys.path:
        sys.path.insert(0, folder)  # it may import its neighbours
    module = util.module_from_spec(spec)
    sys.modules.setdefault(path.stem, module)
    spec.loader.exec_module(module)
    return module
