"""The user's own code: which it is, what an exception says of it in one line, and where it prints."""

from __future__ import annotations

import contextlib
import functools
import sys
import sysconfig
import traceback
from collections.abc import Iterator
from pathlib import Path

MOST_TOLD = 300
TOP_LEVEL = "<module>"
_OURS = str(Path(__file__).parents[2])
_LIBRARIES = tuple({sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")})


@contextlib.contextmanager
def redirect_prints() -> Iterator[None]:
    """While the user's code runs in this process: what it prints is no part of our answer."""
    with contextlib.redirect_stdout(sys.stderr):
        yield


def is_own(file: str) -> bool:
    """Whether a file is the user's: neither ours, nor a library's, nor Python's."""
    if file.startswith(("<", _OURS, *_LIBRARIES)) or "site-packages" in file or "dist-packages" in file:
        return False
    return not _holds_packages(_find_root(Path(file).parent))


@functools.cache
def _find_root(folder: Path) -> Path:
    """The folder from which a module in this one is imported: the first above that is no package itself."""
    while (folder / "__init__.py").is_file():
        folder = folder.parent
    return folder


@functools.cache
def _holds_packages(folder: Path) -> bool:
    """Whether packages were installed into a folder, as by `pip install --target`."""
    return next(folder.glob("*.dist-info"), None) is not None


def describe_error(error: BaseException) -> str:
    """An exception in one line."""
    text = " ".join(str(error).split())[:MOST_TOLD].rstrip(".")
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def locate(error: BaseException) -> str:
    """Where in the user's own code it came from, in brackets."""
    if isinstance(error, SyntaxError):
        return f" ({error.filename}:{error.lineno})"
    own = [frame for frame in traceback.extract_tb(error.__traceback__) if is_own(frame.filename)]
    if not own:
        return ""
    inside = "" if own[-1].name == TOP_LEVEL else f" in {own[-1].name}"
    return f" ({own[-1].filename}:{own[-1].lineno}{inside})"
