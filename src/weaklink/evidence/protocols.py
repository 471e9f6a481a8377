"""What weaklink asks of the things that it looks at; the adapters make every framework speak these."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol

from weaklink.evidence.spaces import Space

Stepped = tuple[Any, Any, Any, Any, Mapping[str, Any]]
"""Observation, reward, terminated, truncated, info."""


class Environment(Protocol):
    """One environment with one agent, whatever framework it comes from.

    `observation` and `action` describe its spaces; observations and actions pass in their native form. `facts` is what
    it says of itself. `inner` is the environment without any wrapper, which a cheating policy may look at.
    """

    observation: Space
    action: Space
    facts: dict[str, Any]
    inner: Any
    step: Callable[[Any], Stepped]

    def reset(self, seed: int | None = None) -> tuple[Any, Mapping[str, Any]]:
        """Begins an episode."""

    def raw_rewards(self) -> list[float] | None:
        """Starts to collect the rewards of the environment inside of all wrappers; None where there is no other."""

    def close(self) -> None:
        """Lets go of what it holds."""


class Vector(Protocol):
    """Several environments that step together; `member` is one of them seen as an environment of its own."""

    count: int
    framework: str
    autoreset: str
    observation: Space
    action: Space

    def reset(self, seed: int | None = None) -> Any:
        """Begins an episode in every member; the observations, a flattened row each."""

    def step(self, actions: Any) -> tuple[Any, Any, Any, Any, list[Mapping[str, Any]]]:
        """Steps every member with its flattened action; rows, rewards, both flags, and one info for each member."""

    def shared(self) -> list[tuple[int, int]]:
        """Pairs of members that are one and the same object."""

    def close(self) -> None:
        """Lets go of what it holds."""


Policy = Callable[[Any], Any]
"""From a native observation to a native action."""
