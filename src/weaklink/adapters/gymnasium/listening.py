"""The environments of this process, heard at the outermost call of `step` and `reset`.

The methods of Gymnasium's classes are taken over, not those of an object: an environment that was made before is heard
too, nothing stays on a user's object, and of nested wrappers and vectors only the outermost call counts, which is what
the trainer sees.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from threading import get_ident
from typing import TYPE_CHECKING, Any

import gymnasium

from weaklink.adapters.gymnasium import heard

if TYPE_CHECKING:  # the tape loads Gymnasium, and whoever waits for that to be loaded comes here
    from weaklink.adapters.gymnasium.tape import TapeRecorder

ROOTS = (gymnasium.Env, gymnasium.vector.VectorEnv)


def _hear_step(inner: Callable[..., Any], vector: bool) -> Callable[..., Any]:
    """A `step` that tells the recorders where nobody else's `step` called it."""

    @functools.wraps(inner)
    def step(env: Any, *given: Any, **named: Any) -> Any:
        if get_ident() in heard.inside or not heard.recorders:
            return inner(env, *given, **named)
        for recorder in heard.recorders:
            recorder.on_step()
        heard.inside.add(get_ident())
        try:
            result = inner(env, *given, **named)
        finally:
            heard.inside.discard(get_ident())
        action = given[0] if given else next(iter(named.values()), None)
        for recorder in heard.recorders:
            recorder.step(env, action, result, vector=vector)
        return result

    return step


def _hear_reset(inner: Callable[..., Any], vector: bool) -> Callable[..., Any]:
    """A `reset` that tells the recorders where nobody else called it."""

    @functools.wraps(inner)
    def reset(env: Any, *given: Any, **named: Any) -> Any:
        if get_ident() in heard.inside or not heard.recorders:
            return inner(env, *given, **named)
        heard.inside.add(get_ident())
        try:
            result = inner(env, *given, **named)
        finally:
            heard.inside.discard(get_ident())
        for recorder in heard.recorders:
            recorder.reset(env, result, vector=vector, seed=named.get("seed"))
        return result

    return reset


HEARD = {"step": _hear_step, "reset": _hear_reset}


def listen(recorder: TapeRecorder) -> Callable[[], None]:
    """Has a recorder hear every environment of this process; called, the result ends that."""
    if not heard.recorders:
        for root in ROOTS:
            _take_over(root)
            _hear_of_subclasses(root)
    heard.recorders.append(recorder)
    return functools.partial(_forget, recorder)


def _forget(recorder: TapeRecorder) -> None:
    if recorder in heard.recorders:
        heard.recorders.remove(recorder)
        if not heard.recorders:
            for (kind, name), inner in heard.taken.items():
                if inner is None:
                    delattr(kind, name)
                else:
                    setattr(kind, name, inner)
            heard.taken.clear()


def _take_over(kind: type) -> None:
    """Takes over what a class and all its subclasses define themselves."""
    vector = issubclass(kind, gymnasium.vector.VectorEnv)
    for name, hear in HEARD.items():
        inner = kind.__dict__.get(name)
        if callable(inner) and (kind, name) not in heard.taken:
            heard.taken[kind, name] = inner
            setattr(kind, name, hear(inner, vector))
    subclasses: list[type] = type.__subclasses__(kind)
    for subclass in subclasses:
        _take_over(subclass)


def _hear_of_subclasses(root: Any) -> None:
    """Has classes that are defined from now on taken over too."""
    before = root.__dict__.get("__init_subclass__")

    def __init_subclass__(cls: type[Any], /, **named: Any) -> None:
        if before is not None:
            before.__get__(None, cls)(**named)
        else:
            super(root, cls).__init_subclass__(**named)
        if heard.recorders:
            _take_over(cls)

    root.__init_subclass__ = classmethod(__init_subclass__)
    heard.taken[root, "__init_subclass__"] = before
