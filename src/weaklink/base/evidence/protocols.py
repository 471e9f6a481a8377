"""What weaklink asks of the things that it looks at; the adapters make every framework speak these."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple, Protocol, TypeVar

from weaklink.base.evidence.rollout import CriticCopyFit, Rollout
from weaklink.base.evidence.spaces import Space

Result = TypeVar("Result")


class BrokenContract(TypeError):
    """An environment returned something that cannot be taken for what was asked."""


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


class LayerCall(NamedTuple):
    """A call of `step`, or of `reset` (no reward), at one layer, and which calls of the next layer it made."""

    action: Any
    observation: Any
    reward: Any
    terminated: Any
    truncated: Any
    first: int
    last: int


class LayerLog:
    """All calls at one layer: a wrapper, or the environment itself, with the package that it comes from.

    `bounds` are the lowest and the highest actions that it takes, a row each, None where they are no arrays.
    """

    def __init__(self, name: str, package: str, bounds: Any = None) -> None:
        self.name = name
        self.package = package
        self.bounds = bounds
        self.calls: list[LayerCall] = []


class VectorEnvironment(Protocol):
    """Several environments that step together; `member` is one of them seen as an environment of its own."""

    count: int
    framework: str
    autoreset: str
    observation: Space
    action: Space

    def reset(self, seed: int | None = None) -> Any:
        """Begins an episode in every member; the observations, a flattened row each."""

    def step(self, actions: object) -> tuple[Any, Any, Any, Any, list[Mapping[str, Any]]]:
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


class TrainingWatcher(Protocol):
    """Whom an adapter tells of a training while it runs. It swallows its own faults, and nothing that it is told is
    changed or kept longer than the call.

    `config` and `context` may be added to before the first number is taken.
    """

    config: dict[str, Any]
    context: dict[str, Any]

    @property
    def folder(self) -> Path:
        """Where the recording is."""

    @property
    def stop(self) -> bool:
        """Whether the training should end as soon as it can."""

    def attempt(self, part: str, work: Callable[[], Result]) -> Result | None:
        """Does a part of the watching: its time is counted, and what it raises is told in one line, after which this
        part rests for a while, longer each time. None where it failed or rests."""

    def looks(self, update: int) -> bool:
        """Whether this update should be recomputed and compared: the first three, then rarely."""

    def measures(self, update: int | None = None) -> bool:
        """Whether there is time to measure now; numbers that the trainer has anyway are told all the same. With the
        number of an update it is written down where there is none."""

    def take(self, rollout: Rollout) -> None:
        """Takes a look: it is measured at once, and judged by the rules on rollouts."""

    def metrics(self, step: float, numbers: Mapping[str, float]) -> None:
        """Takes numbers by their names in the vocabulary; others are kept under their own."""

    def episode(self, step: float, total: float, length: float, parts: Mapping[str, float] | None = None) -> None:
        """Takes a finished training episode: its return, its length, and the components of its reward."""

    def evaluation(self, step: float, returns: object, lengths: object = None) -> None:
        """Takes the returns of an evaluation's episodes."""

    def record(self, kind: str, content: object) -> None:
        """Keeps something that is no number over time, such as a histogram or the trace of an episode."""

    def on_failure(self, save: Callable[[str], Any]) -> None:
        """Tells how the state of the training is saved into a folder, for the moment before it is stopped."""

    def on_doubt(self, fit: Callable[[], CriticCopyFit | None]) -> None:
        """Tells how the critic alone is fitted to the newest rollout, for when it does not seem to learn."""
