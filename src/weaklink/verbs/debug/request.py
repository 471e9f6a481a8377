"""What a process of a case is asked for, and what it says."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec

from weaklink.verbs.debug.target import CaseTarget

LOOK, WATCH = "look", "watch"


class CaseRequest(msgspec.Struct, frozen=True, kw_only=True):
    """`look` says what the target has and what its model is; `watch` trains it, recorded into `folder`.

    `budget` is the share of the time that watching may take, 0 for the usual one.
    """

    kind: str
    target: CaseTarget
    folder: str = ""
    steps: int = 0
    seconds: float = 0.0
    seed: int = 0
    thresholds: dict[str, dict[str, Any]] = {}
    budget: float = 0.0


class TargetLook(msgspec.Struct, frozen=True, kw_only=True):
    """What a target has: the names of its parts, what it says of itself, and the files that it is made of.

    `sources` are the user's own files with a digest of each, by which a later call knows whether they are the same.
    """

    parts: tuple[str, ...] = ()
    config: dict[str, Any] = {}
    steps: int = 0
    components: tuple[str, ...] = ()
    goal_metric: str = ""
    takes_monitor: bool = False
    sources: dict[str, str] = {}


class ModelLook(msgspec.Struct, frozen=True, kw_only=True):
    """What `make_model` makes: its framework, its algorithm, the classes of the user's own in it, its settings.

    `rewards` are the reward functions that it holds, by the word that finds each again, empty for one that only the
    trainer holds. `fault` is what making it raised.
    """

    framework: str = ""
    algorithm: str = ""
    own: tuple[str, ...] = ()
    settings: dict[str, Any] = {}
    rewards: tuple[str, ...] = ()
    fault: str = ""


def format_progress(steps: int, asked: int) -> str:
    """Steps of those that were asked for, where that is known."""
    return f"{steps:,} of {asked:,} steps" if asked else f"{steps:,} steps"


class TrainingEnd(msgspec.Struct, frozen=True, kw_only=True):
    """How a watched training ended.

    `kind` is empty where it came to its end or its time was up (`late`); otherwise `raised`, `exited`, `hung` or
    `died`, with what was said and the traceback. `steps` were made of those that were `asked`; `stated` says that the
    user asked for so many, and not we. None were asked for (0) where the trainer itself decides and does not say.
    """

    kind: str = ""
    message: str = ""
    trace: str = ""
    steps: int = 0
    asked: int = 0
    seconds: float = 0.0
    late: bool = False
    stated: bool = False
    stopped: bool = False

    @property
    def made(self) -> str:
        """How far it came."""
        return format_progress(self.steps, self.asked)


class WorkerMessage(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One line of what a process says: one of its fields."""

    unusable: str = ""
    steps: int | None = None
    look: TargetLook | None = None
    model: ModelLook | None = None
    ended: TrainingEnd | None = None


Say = Callable[[WorkerMessage], None]
"""How a worker tells its parent something."""
