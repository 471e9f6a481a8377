"""The process in which a trainer is trained, so that one that crashes or hangs takes only this down.

It is told which trainer, and then one training after the other.
"""

from __future__ import annotations

import os
import sys
from importlib import import_module
from typing import Any

import msgspec

from weaklink.base.errors import WeaklinkError
from weaklink.base.evidence.outcome import Trial
from weaklink.base.evidence.traits import Traits
from weaklink.base.outside.messages import ParentChannel
from weaklink.collect.probes.any_trial import any_trial
from weaklink.collect.probes.ladder import Job
from weaklink.collect.probes.trainers import trainer_of, traits_of


class Request(msgspec.Struct, frozen=True):
    """Which trainer; `settings` are hyper-parameters instead of those made for the ladder."""

    trainer: str
    settings: dict[str, Any] | None = None
    gamma: float | None = None


class Reply(msgspec.Struct, frozen=True, omit_defaults=True):
    """One of: the trainer is loaded, it cannot be, a training has ended."""

    traits: Traits | None = None
    unusable: str = ""
    trial: Trial | None = None


def main() -> None:
    """Trains until nothing more is asked for."""
    parent = ParentChannel()
    request = parent.hear(Request)
    try:
        train = trainer_of(request.trainer, request.settings)
    except WeaklinkError as error:
        parent.say(Reply(unusable=str(error)))
        return
    except Exception as error:
        parent.say(Reply(unusable=f"Loading {request.trainer} failed: {type(error).__name__}: {error}."))
        return
    _lighten()
    parent.say(Reply(traits=traits_of(train)))
    for job in parent.hear_all(Job):
        parent.say(Reply(trial=any_trial(train, job, gamma=request.gamma)))


def _lighten() -> None:
    """One thread each: several trainings run side by side, and their networks are tiny."""
    if "torch" in sys.modules:
        import_module("weaklink.adapters.torch.threads").alone()


if __name__ == "__main__":
    main()
    os._exit(0)  # whatever threads the trainer left behind do not hold us up
