"""The process in which the smallest agent is trained, so that a project that crashes or hangs takes only this down.

It is told about the target, and then one training after the other.
"""

from __future__ import annotations

import os
import traceback
from collections.abc import Callable

from weaklink.base.errors import WeaklinkError
from weaklink.base.outside.messages import ParentChannel
from weaklink.base.outside.own_code import describe_error
from weaklink.verbs.debug.minimal.evidence import TrainingAttempt
from weaklink.verbs.debug.minimal.looking import look_at_target
from weaklink.verbs.debug.minimal.plan import AttemptJob, AttemptReply, AttemptStart
from weaklink.verbs.debug.minimal.training import train_attempt
from weaklink.verbs.debug.target import CaseTarget, LoadedTarget
from weaklink.verbs.debug.worker import load_safely

Say = Callable[[AttemptReply], None]


def main() -> int:
    """Carries out what it is told until nothing more comes."""
    parent = ParentChannel()
    begin = parent.hear(AttemptStart)
    try:
        thing = load_safely(begin.target)
        seen = look_at_target(begin.target, thing, begin.seed, begin.seconds) if begin.look else None
    except WeaklinkError as error:
        parent.say(AttemptReply(unusable=str(error)))
        return 2
    parent.say(AttemptReply(ready=True, looked=seen))
    for job in parent.hear_all(AttemptJob):
        parent.say(AttemptReply(attempt=_try_training(job, begin.target, thing, parent.say)))
    return 0


def _try_training(job: AttemptJob, target: CaseTarget, thing: LoadedTarget, say: Say) -> TrainingAttempt:
    """A training; whatever is raised in it is its failure."""
    try:
        return train_attempt(job, target, thing, lambda steps: say(AttemptReply(steps=steps)))
    except (Exception, SystemExit) as error:
        traceback.print_exc()
        return TrainingAttempt(task=job.task.name, seed=job.seed, failure=describe_error(error))


if __name__ == "__main__":
    os._exit(main())  # whatever threads the target left behind do not hold us up
