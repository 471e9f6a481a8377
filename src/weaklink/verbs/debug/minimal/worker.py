"""The process in which the smallest agent is trained, so that a project that crashes or hangs takes only this down.

It is told on its standard input about the target, and then one training after the other, a line each; it answers on
its standard output. Whatever the target prints goes to standard error.
"""

from __future__ import annotations

import faulthandler
import os
import sys
import traceback
import warnings
from collections.abc import Callable

from weaklink.base.errors import WeaklinkError
from weaklink.base.outside.own_code import told
from weaklink.base.outside.processes import own_output, packed_line, unpacked_line
from weaklink.verbs.debug.minimal.evidence import Attempt
from weaklink.verbs.debug.minimal.looking import looked
from weaklink.verbs.debug.minimal.plan import Begin, Job, Reply
from weaklink.verbs.debug.minimal.training import trained
from weaklink.verbs.debug.target import Loaded, Target
from weaklink.verbs.debug.worker import loaded_safely

Say = Callable[[Reply], None]


def main() -> int:
    """Carries out what it is told until nothing more comes."""
    say = own_output(packed_line)
    faulthandler.enable()
    warnings.simplefilter("ignore")
    begin = unpacked_line(sys.stdin.buffer.readline(), Begin)
    try:
        thing = loaded_safely(begin.target)
        if begin.look:
            say(Reply(looked=looked(begin.target, thing, begin.seed, begin.seconds)))
    except WeaklinkError as error:
        say(Reply(unusable=str(error)))
        return 2
    say(Reply(ready=True))
    for line in sys.stdin.buffer:
        say(Reply(attempt=_attempt(unpacked_line(line, Job), begin.target, thing, say)))
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
