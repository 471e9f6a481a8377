"""The process in which a trainer is trained, so that one that crashes or hangs takes only this down.

It is told on its standard input which trainer, and then one training after the other, a line each; it answers on its
standard output. Whatever the trainer prints goes to standard error.
"""

from __future__ import annotations

import faulthandler
import os
import sys
import warnings
from importlib import import_module
from typing import Any

import msgspec

from weaklink.base.errors import WeaklinkError
from weaklink.base.evidence.outcome import Trial
from weaklink.base.evidence.traits import Traits
from weaklink.base.outside.processes import own_output, packed_line, unpacked_line
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
    """Trains until the input ends."""
    say = own_output(packed_line)
    faulthandler.enable()
    warnings.simplefilter("ignore")
    request = unpacked_line(sys.stdin.buffer.readline(), Request)
    try:
        train = trainer_of(request.trainer, request.settings)
    except WeaklinkError as error:
        say(Reply(unusable=str(error)))
        return
    except Exception as error:
        say(Reply(unusable=f"Loading {request.trainer} failed: {type(error).__name__}: {error}."))
        return
    _lighten()
    say(Reply(traits=traits_of(train)))
    for line in sys.stdin.buffer:
        job = unpacked_line(line, Job)
        say(Reply(trial=any_trial(train, job, gamma=request.gamma)))


def _lighten() -> None:
    """One thread each: several trainings run side by side, and their networks are tiny."""
    if "torch" in sys.modules:
        import_module("weaklink.adapters.torch.threads").alone()


if __name__ == "__main__":
    main()
    os._exit(0)  # whatever threads the trainer left behind do not hold us up
