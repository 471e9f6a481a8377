"""Whether a reward function can see the right answer at all: one for format or length is not given it."""

from __future__ import annotations

import dis
import functools
import inspect
from collections.abc import Callable, Iterable
from types import CodeType
from typing import Any


def reads_keywords(function: Callable[..., Any], parameters: Iterable[inspect.Parameter]) -> bool:
    """Whether it looks at what it takes by `**`; one whose code cannot be read is taken to."""
    names = [parameter.name for parameter in parameters if parameter.kind is parameter.VAR_KEYWORD]
    code = _find_code(function)
    return bool(names) and (code is None or any(_loads(code, name) for name in names))


def _find_code(function: Callable[..., Any]) -> CodeType | None:
    while isinstance(function, functools.partial):
        function = function.func
    found: Any = inspect.unwrap(function)
    if not hasattr(found, "__code__") and not inspect.ismethod(found):
        found = inspect.unwrap(type(found).__call__)
    return getattr(found, "__code__", None)


def _loads(code: CodeType, name: str) -> bool:
    for instruction in dis.get_instructions(code):
        value = instruction.argval
        named = name in value if isinstance(value, tuple) else value == name  # newer ones load two at once
        if named and "LOAD" in instruction.opname:
            return True
    return False
