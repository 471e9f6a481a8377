"""The verifier that was given, as something that can be called."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from weaklink.base.errors import UsageError
from weaklink.base.outside.named import instance, named


def loaded(word: str) -> Callable[..., Any]:
    """The reward function of this name; a class is made into an object."""
    return function_of(named(word, "The verifier"), word)


def function_of(thing: object, word: str) -> Callable[..., Any]:
    """What can be called, with its own errors where it cannot be made."""
    made = instance(thing, word)
    if not callable(made):
        raise UsageError(f"The verifier must be a function, and {word} is {type(made).__name__}.")
    return made  # type: ignore[no-any-return]
