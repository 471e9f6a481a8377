"""The verifier that was given, as something that can be called."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from weaklink.errors import UsageError
from weaklink.outside.named import named

MOST_TOLD = 300


def loaded(word: str) -> Callable[..., Any]:
    """The reward function of this name; a class is made into an object."""
    try:
        thing = named(word, "The verifier")
    except UsageError:
        raise
    except (Exception, SystemExit) as error:
        told = f"{type(error).__name__}: {' '.join(str(error).split())[:MOST_TOLD]}"
        raise UsageError(f"The verifier: cannot import {word} ({told}).") from None
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
