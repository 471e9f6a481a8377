"""The reward functions of a trainer of TRL, as far as they are functions: a reward model is none."""

from __future__ import annotations

import inspect
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from weaklink.base.outside.own_code import is_own


def list_reward_functions(trainer: Any) -> list[Callable[..., Any]]:
    """Those that can be called with completions; a model, and what has to be awaited, cannot."""
    given = getattr(trainer, "reward_funcs", None) or ()
    return [each for each in given if callable(each) and not hasattr(each, "parameters") and not _is_awaited(each)]


def find_word(function: Callable[..., Any]) -> str:
    """`file.py:name`, by which a function is found again; empty where only its trainer holds it."""
    name, module = getattr(function, "__name__", ""), sys.modules.get(getattr(function, "__module__", "") or "")
    file = getattr(module, "__file__", None)
    if not file or getattr(module, name, None) is not function or not is_own(file):
        return ""
    near = Path(file).is_relative_to(Path.cwd())
    return f"{os.path.relpath(file) if near else file}:{name}"


def _is_awaited(function: Any) -> bool:
    called = function if inspect.isroutine(function) else type(function).__call__
    return inspect.iscoroutinefunction(called)
