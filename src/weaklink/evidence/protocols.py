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


class Agent(Protocol):
    """What a trainer returns. Only `act` is needed; each of the others lets more be judged where it is there.

    `value(observation)` is the value of a state; `q(observation)` gives one number for each action, or with
    continuous actions `q(observation, action)` one number; `log_prob(observation, action)`; `sample(observation)` is a
    draw from the policy; `reset()` begins an episode, so that a recurrent agent forgets; `gamma` is its discount and
    `temperature` the weight of the entropy in a soft algorithm.
    """

    def act(self, observation: Any) -> Any:
        """The action that the agent takes for one observation, both in their native form."""


Trainer = Callable[..., Agent]
"""`train(make_env, steps, seed)`; where it takes `gamma` too it is told the discount to train with."""
