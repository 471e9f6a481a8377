"""Listens to `clip_grad_norm_`, which returns the number that most trainings throw away: the norm before clipping."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Sequence
from typing import Any

import torch

NAME = "clip_grad_norm_"

Listener = Callable[[Any, float, Sequence[Any]], None]
"""Told the norm as it was returned, the largest norm allowed, and the parameters."""

_listeners: list[Listener] = []
_places: list[tuple[Any, Any, Any]] = []
"""Module, what stood there, and what was put there instead."""


def listen(listener: Listener) -> Callable[[], None]:
    """Tells of every call from now on.

    Args:
        listener: is told on the thread of the call; it must neither raise nor take long.

    Returns:
        A function that ends it. With the last listener gone the original stands in its place again, everywhere that
        nobody else has replaced it meanwhile.
    """
    if not _listeners:
        _wrap()
    _listeners.append(listener)
    heard = [True]

    def end() -> None:
        if not heard:
            return
        heard.clear()
        _listeners.remove(listener)
        if not _listeners:
            _unwrap()

    return end


def _wrap() -> None:
    original = getattr(torch.nn.utils, NAME)
    if _is_ours(original):  # somebody wrapped our wrapper and kept it
        return
    wrapper = _make_listening(original)
    for module in list(sys.modules.values()):  # those too that took the name with `from ... import`
        held = getattr(module, "__dict__", None)
        if isinstance(held, dict) and held.get(NAME) is original:
            setattr(module, NAME, wrapper)
            _places.append((module, original, wrapper))


def _unwrap() -> None:
    for module, original, wrapper in _places:
        if getattr(module, NAME, None) is wrapper:
            setattr(module, NAME, original)
    _places.clear()


def _is_ours(function: Any) -> bool:
    while function is not None:
        if getattr(function, "weaklink_listens", False):
            return True
        function = getattr(function, "__wrapped__", None)
    return False


def _make_listening(original: Any) -> Any:
    @functools.wraps(original)
    def clip_grad_norm_(parameters: Any, max_norm: Any, norm_type: Any = 2.0, *arguments: Any, **options: Any) -> Any:
        if torch.compiler.is_compiling() or not _listeners or norm_type != 2.0:
            return original(parameters, max_norm, norm_type, *arguments, **options)
        given = [parameters] if isinstance(parameters, torch.Tensor) else list(parameters)
        norm = original(given, max_norm, norm_type, *arguments, **options)
        if given:
            for listener in _listeners:
                listener(norm, max_norm, given)
        return norm

    clip_grad_norm_.weaklink_listens = True  # type: ignore[attr-defined]
    return clip_grad_norm_
