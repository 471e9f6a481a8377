"""The process in which one trainer is trained once for a comparison, or random play looks at the environment.

It is told what to do once and answers once, so that a trainer that crashes or hangs takes only this down.
"""

from __future__ import annotations

import os
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from weaklink.base.errors import WeaklinkError
from weaklink.base.evidence.comparison import ActionLayout, ContestantTraining
from weaklink.base.outside.messages import ParentChannel
from weaklink.collect.probes.contestants import prepare_trainer
from weaklink.collect.probes.episodes import play_at_random
from weaklink.collect.probes.training import run_training
from weaklink.collect.survey.surveyed import make_environment


class ContestRequest(msgspec.Struct, frozen=True, kw_only=True):
    """What to do; without a trainer, random play.

    `rows` is the file with the observations to ask about, into which random play writes them; `folder` is for what
    environments in other processes leave behind.
    """

    environment: str
    rows: str
    folder: str
    trainer: str = ""
    settings: dict[str, Any] = {}
    steps: int = 0
    seed: int = 0


class ContestReply(msgspec.Struct, frozen=True, kw_only=True):
    """One of: it cannot be done, a training, or what random play found."""

    unusable: str = ""
    training: ContestantTraining | None = None
    settings: dict[str, str] = {}
    notes: tuple[str, ...] = ()
    random: tuple[float, ...] = ()
    actions: ActionLayout = ActionLayout()


def main() -> None:
    """Carries out what it is asked for."""
    parent = ParentChannel()
    request = parent.hear(ContestRequest)
    try:
        reply = _train(request) if request.trainer else _play_at_random(request)
    except WeaklinkError as error:
        reply = ContestReply(unusable=str(error))
    except Exception as error:
        what = f"Loading {request.trainer}" if request.trainer else f"Playing {request.environment} at random"
        reply = ContestReply(unusable=f"{what} failed: {type(error).__name__}: {error}.")
    parent.say(reply)


def _play_at_random(request: ContestRequest) -> ContestReply:
    found = play_at_random(lambda: make_environment(request.environment, {}))
    np.save(request.rows, found.rows)
    return ContestReply(random=found.returns, actions=found.actions)


def _train(request: ContestRequest) -> ContestReply:
    contestant = prepare_trainer(request.trainer, request.settings)
    if "torch" in sys.modules:  # several trainings run side by side
        import_module("weaklink.adapters.torch.threads").use_one_thread()
    done = run_training(
        contestant,
        lambda: make_environment(request.environment, {}),
        request.steps,
        request.seed,
        np.load(request.rows, allow_pickle=False),
        Path(request.folder),
    )
    return ContestReply(training=done, settings=contestant.settings, notes=contestant.notes)


if __name__ == "__main__":
    main()
    os._exit(0)  # whatever threads the trainer left behind do not hold us up
