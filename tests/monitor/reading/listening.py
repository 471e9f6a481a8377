"""Real trainers that hand nothing over, listened to from outside."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import torch
from torch.distributions import Distribution

from weaklink.base.evidence.rollout import Rollout
from weaklink.base.evidence.update import UpdateReading
from weaklink.base.finding import Finding
from weaklink.collect.monitor.assembly import assemble_rollout
from weaklink.collect.monitor.governor import Governor
from weaklink.collect.monitor.parts import PartRunner
from weaklink.collect.monitor.update_reader import UpdateReader
from weaklink.judge.diagnosis.engine import judge_rollout


class PatientGovernor(Governor):
    """Has time for everything: how many updates are read must not depend on the machine."""

    def allows(self, kind: str) -> bool:
        return True


class EnoughRead(BaseException):
    """Ends a training through everything that guards it against what is done beside it."""


@contextlib.contextmanager
def trusted_distributions() -> Iterator[None]:
    """Without torch's checks of what a distribution is given, a tenth of what small trainings take."""
    before = Distribution._validate_args
    Distribution.set_default_validate_args(False)
    try:
        yield
    finally:
        Distribution.set_default_validate_args(before)


def read_updates(train: Callable[[], Any], most: int | None = None) -> list[UpdateReading]:
    """The first updates of a training, which goes on to its end, or until so many of them were read."""
    torch.set_num_threads(1)
    seen: list[UpdateReading] = []
    learning = True

    def take(reading: UpdateReading) -> None:
        seen.append(reading)
        if learning and len(seen) == most:
            raise EnoughRead

    reader = UpdateReader(take, PartRunner(print, lambda: 0.0), PatientGovernor(budget=1.0), 3, print)
    reader.listen()
    try:
        with contextlib.suppress(EnoughRead), trusted_distributions():
            train()
    finally:
        learning = False  # what is left over is read when all is closed, to its end
        reader.close()
    return seen[:most]


def judge_updates(
    train: Callable[[], Any], config: dict[str, Any], most: int | None = None
) -> tuple[list[Rollout], list[Finding]]:
    """The rollouts that follow from them, and all that rules find there."""
    return judge_readings(read_updates(train, most), config)


def judge_readings(readings: Sequence[UpdateReading], config: dict[str, Any]) -> tuple[list[Rollout], list[Finding]]:
    """The same of updates that were read before."""
    rollouts = [assemble_rollout(reading, 0.0, config) for reading in readings]
    answers = [judge_rollout(each) for each in rollouts]
    assert not any(answer.unable for answer in answers), [answer.unable for answer in answers]
    return rollouts, [finding for answer in answers for _, finding in answer.fired]
