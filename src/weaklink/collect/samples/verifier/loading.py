"""The verifier that was given, as something that can be called."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from weaklink.base.errors import UsageError
from weaklink.base.outside.named import load_named, make_instance


def load_verifier(word: str) -> Callable[..., Any]:
    """The reward function of this name; a class is made into an object."""
    return make_callable(load_named(word, "The verifier"), word)


def make_callable(thing: object, word: str) -> Callable[..., Any]:
    """What can be called, with its own errors where it cannot be made."""
    made = make_instance(thing, word)
    if not callable(made):
        raise UsageError(f"The verifier must be a function, and {word} is {type(made).__name__}.")
    return made  # type: ignore[no-any-return]
