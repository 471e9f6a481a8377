"""Which adapter an environment speaks through, found by its ancestors, so that no framework is loaded for it."""

from __future__ import annotations

from weaklink.adapters.framework import find_framework, list_frameworks
from weaklink.base.errors import UsageError
from weaklink.base.evidence.protocols import Environment

SPOKEN = ("reset", "step", "observation_space", "action_space")
"""What makes an object an environment where its ancestors say nothing: the attributes of Gymnasium's."""


def adapt_environment(thing: object) -> Environment:
    """The adapter around an environment.

    Raises:
        UsageError: it is none.
    """
    ancestors = {(ancestor.__module__, ancestor.__name__) for ancestor in type(thing).__mro__}
    for known in list_frameworks():
        for module, name, adapter in known.environments:
            if (module, name) in ancestors:
                return known.load(adapter).environment(thing)  # type: ignore[no-any-return]
    if all(hasattr(thing, name) for name in SPOKEN):
        return find_framework("gymnasium").load("environment").environment(thing)  # type: ignore[no-any-return]
    raise UsageError(
        f"An environment needs reset, step, observation_space and action_space; {type(thing).__name__} is none. Give a "
        "Gymnasium environment or vector environment, an SB3 VecEnv or a TorchRL environment."
    )
