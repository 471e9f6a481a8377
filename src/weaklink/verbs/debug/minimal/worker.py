"""The process in which the smallest agent is trained, so that a project that crashes or hangs takes only this down.

It is told about the target, and then one training after the other.
"""

from __future__ import annotations

import os
import traceback
from collections.abc import Callable

from weaklink.base.errors import WeaklinkError
from weaklink.base.outside.messages import ParentChannel
from weaklink.base.outside.own_code import told
from weaklink.verbs.debug.minimal.evidence import Attempt
from weaklink.verbs.debug.minimal.looking import looked
from weaklink.verbs.debug.minimal.plan import Begin, Job, Reply
from weaklink.verbs.debug.minimal.training import trained
from weaklink.verbs.debug.target import Loaded, Target
from weaklink.verbs.debug.worker import loaded_safely

Say = Callable[[Reply], None]


def main() -> int:
    """Carries out what it is told until nothing more comes."""
    parent = ParentChannel()
    begin = parent.hear(Begin)
    try:
        thing = loaded_safely(begin.target)
        seen = looked(begin.target, thing, begin.seed, begin.seconds) if begin.look else None
    except WeaklinkError as error:
        parent.say(Reply(unusable=str(error)))
        return 2
    parent.say(Reply(ready=True, looked=seen))
    for job in parent.hear_all(Job):
        parent.say(Reply(attempt=_attempt(job, begin.target, thing, parent.say)))
    return 0


def _attempt(job: Job, target: Target, thing: Loaded, say: Say) -> Attempt:
    """A training; whatever is raised in it is its failure."""
    try:
        return trained(job, target, thing, lambda steps: say(Reply(steps=steps)))
    except (Exception, SystemExit) as error:
        traceback.print_exc()
        return Attempt(task=job.task.name, seed=job.seed, failure=told(error))


if __name__ == "__main__":
    os._exit(main())  # whatever threads the target left behind do not hold us up
