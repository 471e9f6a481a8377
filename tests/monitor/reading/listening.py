"""Real trainers that hand nothing over, listened to from outside."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

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


def read_updates(train: Callable[[], Any]) -> list[UpdateReading]:
    """The first updates of a training."""
    torch.set_num_threads(1)
    seen: list[UpdateReading] = []
    reader = UpdateReader(seen.append, PartRunner(print, lambda: 0.0), PatientGovernor(budget=1.0), 3, print)
    reader.listen()
    try:
        train()
    finally:
        reader.close()
    return seen


def judge_updates(train: Callable[[], Any], config: dict[str, Any]) -> tuple[list[Rollout], list[Finding]]:
    """The rollouts that follow from them, and all that rules find there."""
    rollouts = [assemble_rollout(reading, 0.0, config) for reading in read_updates(train)]
    answers = [judge_rollout(each) for each in rollouts]
    assert not any(answer.unable for answer in answers), [answer.unable for answer in answers]
    return rollouts, [finding for answer in answers for _, finding in answer.fired]
