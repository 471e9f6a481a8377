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
from weaklink.base.evidence.outcome import RungTrial
from weaklink.base.evidence.traits import Traits
from weaklink.base.outside.messages import ParentChannel
from weaklink.collect.probes.any_trial import run_any_trial
from weaklink.collect.probes.ladder import ProbeJob
from weaklink.collect.probes.trainers import find_trainer, read_traits


class ProbeRequest(msgspec.Struct, frozen=True):
    """Which trainer; `settings` are hyper-parameters instead of those made for the ladder."""

    trainer: str
    settings: dict[str, Any] | None = None
    gamma: float | None = None


class ProbeReply(msgspec.Struct, frozen=True, omit_defaults=True):
    """One of: the trainer is loaded, it cannot be, a training has ended."""

    traits: Traits | None = None
    unusable: str = ""
    trial: RungTrial | None = None


def main() -> None:
    """Trains until nothing more is asked for."""
    parent = ParentChannel()
    request = parent.hear(ProbeRequest)
    try:
        train = find_trainer(request.trainer, request.settings)
    except WeaklinkError as error:
        parent.say(ProbeReply(unusable=str(error)))
        return
    except Exception as error:
        parent.say(ProbeReply(unusable=f"Loading {request.trainer} failed: {type(error).__name__}: {error}."))
        return
    _use_one_thread()
    parent.say(ProbeReply(traits=read_traits(train)))
    for job in parent.hear_all(ProbeJob):
        parent.say(ProbeReply(trial=run_any_trial(train, job, gamma=request.gamma)))


def _use_one_thread() -> None:
    """One thread each: several trainings run side by side, and their networks are tiny."""
    if "torch" in sys.modules:
        import_module("weaklink.adapters.torch.threads").use_one_thread()


if __name__ == "__main__":
    main()
    os._exit(0)  # whatever threads the trainer left behind do not hold us up
