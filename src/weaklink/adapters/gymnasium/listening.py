"""The environments of this process, heard at the outermost call of `step` and `reset`.

The methods of the classes of Gymnasium and of the old gym are taken over, not those of an object: an environment that
was made before is heard too, nothing stays on a user's object, and of nested wrappers and vectors only the outermost
call counts, which is what the trainer sees.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from contextlib import suppress
from threading import get_ident
from typing import TYPE_CHECKING, Any, NamedTuple

from weaklink.adapters.gymnasium import heard
from weaklink.adapters.gymnasium.libraries import EnvironmentLibrary, is_vector, list_libraries, to_new_step

if TYPE_CHECKING:
    from weaklink.adapters.gymnasium.tape import TapeRecorder


class HeardClass(NamedTuple):
    """What is known of all environments of a class: whether they are vectors, or wrappers that may hold one."""

    vector: bool
    mixes: bool

    def is_vector(self, env: Any) -> bool:
        """Whether this one is a vector."""
        with suppress(Exception):  # one without a `__dict__`, say
            return self.vector or (self.mixes and is_vector(env))
        return False


def _hear_step(inner: Callable[..., Any], kind: HeardClass) -> Callable[..., Any]:
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
        vector, told = kind.is_vector(env), result
        with suppress(Exception):  # what a stranger's environment returns may have any form
            told = to_new_step(result)
        for recorder in heard.recorders:
            recorder.step(env, action, told, vector=vector)
        return result

    return step


def _hear_reset(inner: Callable[..., Any], kind: HeardClass) -> Callable[..., Any]:
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
        vector = kind.is_vector(env)
        for recorder in heard.recorders:
            recorder.reset(env, result, vector=vector, seed=named.get("seed"))
        return result

    return reset


HEARD = {"step": _hear_step, "reset": _hear_reset}


def listen(recorder: TapeRecorder) -> Callable[[], None]:
    """Has a recorder hear every environment of this process; called, the result ends that."""
    heard.recorders.append(recorder)
    hear_libraries()
    return functools.partial(_forget, recorder)


def hear_libraries() -> None:
    """Takes over the classes of all libraries that are loaded by now, where somebody listens."""
    for library in list_libraries() if heard.recorders else ():
        for root in (library.env, library.vector):
            if (root, "__init_subclass__") not in heard.taken:
                _take_over(root, library)
                _hear_of_subclasses(root, library)


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


def _take_over(kind: type, library: EnvironmentLibrary) -> None:
    """Takes over what a class and all its subclasses define themselves."""
    vector = issubclass(kind, library.vector)
    known = HeardClass(vector, library.mixes and not vector and issubclass(kind, library.wrapper))
    for name, hear in HEARD.items():
        inner = kind.__dict__.get(name)
        if callable(inner) and (kind, name) not in heard.taken:
            heard.taken[kind, name] = inner
            setattr(kind, name, hear(inner, known))
    subclasses: list[type] = type.__subclasses__(kind)
    for subclass in subclasses:
        _take_over(subclass, library)


def _hear_of_subclasses(root: Any, library: EnvironmentLibrary) -> None:
    """Has classes that are defined from now on taken over too."""
    before = root.__dict__.get("__init_subclass__")

    def __init_subclass__(cls: type[Any], /, **named: Any) -> None:
        if before is not None:
            before.__get__(None, cls)(**named)
        else:
            super(root, cls).__init_subclass__(**named)
        if heard.recorders:
            _take_over(cls, library)

    root.__init_subclass__ = classmethod(__init_subclass__)
    heard.taken[root, "__init_subclass__"] = before
