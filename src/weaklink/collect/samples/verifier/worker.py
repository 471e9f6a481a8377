"""The process in which a verifier is asked, so that an answer that kills or hangs it takes only this down.

It is told which one, and then asked one question after the other.
"""

from __future__ import annotations

import contextlib
import os
import random
import sys
from pathlib import Path

from weaklink.base.errors import WeaklinkError
from weaklink.base.outside.messages import ParentChannel
from weaklink.collect.samples.verifier.calling import CallConvention
from weaklink.collect.samples.verifier.exchange import (
    LoadReport,
    ScoreRequest,
    VerifierReply,
    VerifierRequest,
    score_rows,
)
from weaklink.collect.samples.verifier.loading import load_verifier

PAGE = 4096


def main() -> int:
    """Answers until there are no more questions."""
    parent = ParentChannel()
    request = parent.hear(VerifierRequest)
    try:
        convention = CallConvention(load_verifier(request.word), request.style)
    except WeaklinkError as error:
        parent.say(VerifierReply(LoadReport(unusable=str(error))))
        return 2
    _limit_memory(request.memory)
    _seed_generators(request.seed)
    parent.say(
        VerifierReply(LoadReport(convention.style, convention.batched, convention.parameters, convention.answerless))
    )
    for ask in parent.hear_all(ScoreRequest):
        parent.say(VerifierReply(scored=score_rows(convention, ask.rows, ask.chat)))
    return 0


def _seed_generators(seed: int) -> None:
    random.seed(seed)
    numpy = sys.modules.get("numpy")
    if numpy is not None:
        numpy.random.seed(seed)


def _limit_memory(memory: int) -> None:
    """The memory that may be written to, where the system can hold a process to it."""
    with contextlib.suppress(ImportError, OSError, ValueError, AttributeError, IndexError):
        import resource

        taken = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[5]) * PAGE
        resource.setrlimit(resource.RLIMIT_DATA, (taken + memory, taken + memory))


if __name__ == "__main__":
    os._exit(main())  # whatever threads the verifier left behind do not hold us up
