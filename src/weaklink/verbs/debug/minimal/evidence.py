"""What the emergency procedure saw: versions of the task, trainings of the smallest agent, what a network is given."""

from __future__ import annotations

from typing import Any

import msgspec

from weaklink.verbs.debug.target import CaseTarget

LEARNT, SOMETIMES, NOT_LEARNT, NOTHING_TO_LEARN, FAILED, UNCLEAR = (
    "learnt", "sometimes", "not learnt", "nothing to learn", "failed", "unclear",
)  # fmt: skip
"""What can become of a version. Sometimes: with some seeds and not with others."""


class TaskVersion(msgspec.Struct, frozen=True, kw_only=True):
    """A version of the task, in words alone, so that it can travel to other processes.

    `told` says what was made easier, one thing each. `given` is the name of one of the target's own easy
    environments, `arguments` are handed to its `make_env`; `horizon` bounds an episode, `one_start` begins all of them
    with the seed `start`, and `part` is the one part of the reward that is paid.
    """

    name: str
    told: tuple[str, ...] = ()
    given: str = ""
    arguments: dict[str, Any] = {}
    horizon: int = 0
    one_start: bool = False
    start: int = 0
    part: str = ""

    @property
    def is_easier(self) -> bool:
        """Whether anything was made easier."""
        return bool(self.told) and not self.part


class PlayedEpisodes(msgspec.Struct, frozen=True, kw_only=True):
    """Episodes of one policy: what each was paid, its length, and what each part of the reward came to."""

    returns: tuple[float, ...] = ()
    lengths: tuple[int, ...] = ()
    parts: dict[str, tuple[float, ...]] = {}

    def paid(self, part: str) -> tuple[float, ...]:
        """What each episode came to, in one part of the reward or, where none is named, altogether."""
        return self.parts.get(part, ()) if part else self.returns


class TrainingAttempt(msgspec.Struct, frozen=True, kw_only=True):
    """One training of the smallest agent on one version, with random play in the same version beside it.

    `curve` holds steps and returns of training episodes, merged into a few. `late` says that time was up before all
    steps were made, `failure` what was raised.
    """

    task: str
    seed: int
    steps: int = 0
    seconds: float = 0.0
    random: PlayedEpisodes = PlayedEpisodes()
    trained: PlayedEpisodes = PlayedEpisodes()
    curve: tuple[tuple[float, float], ...] = ()
    late: bool = False
    failure: str = ""


class SeenEntry(msgspec.Struct, frozen=True, kw_only=True):
    """One entry of what the network is given, over a short random play. `notes` are what is odd about it."""

    label: str
    low: float
    mean: float
    high: float
    spread: float
    trace: tuple[float, ...] = ()
    notes: tuple[str, ...] = ()


class SeenPicture(msgspec.Struct, frozen=True, kw_only=True):
    """One image, or one channel of it, made small: rows of brightness from 0 to 255."""

    label: str
    rows: tuple[tuple[int, ...], ...]


class SeenPart(msgspec.Struct, frozen=True, kw_only=True):
    """One part of the observation; most have one, without a name.

    `shape` is that of one observation as the network gets it, `from_type` the type of number that the environment hands
    out and `to_type` the one that arrives. `entries` are the most telling ones; `left_out` counts the others, `odd` all
    those with notes.
    """

    name: str
    shape: tuple[int, ...]
    from_type: str
    to_type: str
    rows: int
    entries: tuple[SeenEntry, ...] = ()
    left_out: int = 0
    odd: int = 0
    pictures: tuple[SeenPicture, ...] = ()


class MinimalLook(msgspec.Struct, frozen=True, kw_only=True):
    """What is known of a target before anything is trained.

    `tasks` are the easier versions, the easiest first; `parts` the keys of the parts of its reward. `seen` is what the
    network of the target's own model is given, or that of the smallest agent. `failure` is what its environment raised.
    """

    algorithm: str
    own_algorithm: str = ""
    settings: dict[str, Any] = {}
    gamma: float = 0.99
    tasks: tuple[TaskVersion, ...] = ()
    parts: tuple[str, ...] = ()
    seen: tuple[SeenPart, ...] = ()
    through_own_model: bool = False
    random: PlayedEpisodes = PlayedEpisodes()
    notes: tuple[str, ...] = ()
    failure: str = ""


class VersionResult(msgspec.Struct, frozen=True, kw_only=True):
    """One version of the task and what became of it: random play against the trained agent, over all seeds."""

    task: TaskVersion
    state: str
    attempts: tuple[TrainingAttempt, ...] = ()
    random: float = float("nan")
    trained: float = float("nan")
    steps: int = 0
    why: str = ""


class PartEffect(msgspec.Struct, frozen=True, kw_only=True):
    """What an agent that was paid for one part alone earns of another, against random play.

    `tendency` is `more`, `less` or `same`: beyond chance, or not to be told apart.
    """

    paid_for: str
    of: str
    random: float
    trained: float
    tendency: str


class Minimal(msgspec.Struct, frozen=True, kw_only=True):
    """The whole procedure and its answer.

    `headline` is the answer in a sentence, `next_steps` what to do, in this order. `fights` names pairs of parts of
    the reward of which each is earned at the expense of the other.
    """

    target: CaseTarget
    looked: MinimalLook
    versions: tuple[VersionResult, ...] = ()
    effects: tuple[PartEffect, ...] = ()
    fights: tuple[tuple[str, str], ...] = ()
    works: bool | None = None
    headline: str = ""
    next_steps: tuple[str, ...] = ()
    seconds: float = 0.0
    stopped: bool = False
