"""What `module:name` or `file.py:name` stands for."""

from __future__ import annotations

import ast
import contextlib
import inspect
import sys
from collections.abc import Iterator
from importlib import import_module, util
from pathlib import Path
from typing import Any

from weaklink.base.errors import UsageError
from weaklink.base.outside.loading import collect_rarely
from weaklink.base.outside.own_code import describe_error, locate, redirect_prints

_FOUND: dict[Path, Path] = {}
"""Where files were when they were first loaded: their own code may go to another folder."""


def load_named(word: str, what: str) -> Any:
    """The thing of this name; `what` says in errors what it was wanted for."""
    module, colon, name = word.rpartition(":")
    if not colon or not module or not name:
        raise UsageError(f"{what} is given as module:name or file.py:name, not '{word}'.")
    thing: Any = load_module(module, what)
    for part in name.split("."):
        if not hasattr(thing, part):
            raise UsageError(f"{what}: {module} has no '{part}' (from '{word}').")
        thing = getattr(thing, part)
    return thing


MOST_NAMES = 5


def suggest_names(file: str) -> str:
    """How to name something in a file that was given without a name: what it holds that can be called with nothing."""
    try:
        body = ast.parse(Path(file).read_bytes()).body
    except (OSError, SyntaxError, ValueError):
        return f"Give it as {file}:name."
    functions = [one.name for one in body if isinstance(one, ast.FunctionDef) and not _list_required(one.args)]
    classes = [one.name for one in body if isinstance(one, ast.ClassDef)]
    held = [f"{file}:{name}" for name in (*functions, *classes) if not name.startswith("_")]
    return f"Give it as {' or '.join(held[:MOST_NAMES]) or f'{file}:name'}."


def _list_required(given: ast.arguments) -> list[ast.arg]:
    placed = [*given.posonlyargs, *given.args]
    by_name = [one for one, default in zip(given.kwonlyargs, given.kw_defaults, strict=True) if default is None]
    return placed[: len(placed) - len(given.defaults)] + by_name


def make_instance(thing: Any, word: str) -> Any:
    """The thing itself, or where it is a class an object of it."""
    if not inspect.isclass(thing):
        return thing
    try:
        return thing()
    except (Exception, SystemExit) as error:
        raise UsageError(
            f"{word} is a class, and making one without arguments failed: {describe_error(error)}{locate(error)}. "
            "Give a function that makes it, or defaults to its arguments."
        ) from error


def load_module(word: str, what: str) -> Any:
    """The module of this name, or that a file is; `what` says in errors what it was wanted for.

    Raises:
        UsageError: there is none, or its own code fails or exits while it is loaded.
    """
    with contextlib.suppress(FileNotFoundError):  # the user's code may have gone to a folder that is no more
        _make_importable(Path.cwd())
    try:
        with _run_as_script(word), collect_rarely():
            return _load_file(Path(word), what) if word.endswith(".py") else import_module(word)
    except ImportError as error:
        raise UsageError(f"{what}: cannot import {word}: {error}. Run from the folder that holds it.") from None
    except UsageError:
        raise
    except (Exception, SystemExit) as error:
        raise UsageError(
            f"Loading {word} {_describe_end(error)}{locate(error)}. {what} must come from a module that can be "
            "imported: mend that line, or put what starts a run under if __name__ == '__main__'."
        ) from error


@contextlib.contextmanager
def _run_as_script(word: str) -> Iterator[None]:
    """While a module is loaded, our arguments are not its own, and what it prints is no part of our answer."""
    ours = sys.argv
    sys.argv = [word]
    try:
        with redirect_prints():
            yield
    finally:
        sys.argv = ours


def _describe_end(error: BaseException) -> str:
    if isinstance(error, SystemExit):
        return f"would have ended the whole process: it called sys.exit({error.code!r})"
    return f"failed: {describe_error(error)}"


def _load_file(path: Path, what: str) -> Any:
    file = path.resolve() if path.is_file() else _FOUND.get(path)
    if file is None:
        raise UsageError(f"{what}: there is no file {path}.")
    _FOUND[path] = file
    spec = util.spec_from_file_location(path.stem, file)
    if spec is None or spec.loader is None:
        raise UsageError(f"{what}: {path} is no Python file.")
    _make_importable(file.parent)  # it may import its neighbours
    module = util.module_from_spec(spec)
    sys.modules.setdefault(path.stem, module)
    spec.loader.exec_module(module)
    return module


def _make_importable(folder: Path) -> None:
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))
