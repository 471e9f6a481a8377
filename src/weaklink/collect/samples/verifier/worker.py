"""The process in which a verifier is asked, so that an answer that kills or hangs it takes only this down.

It is given a folder with the request, reads questions from its standard input, a line each, and writes the answers to
its standard output. Whatever the verifier prints goes to standard error, and it reads nothing.
"""

from __future__ import annotations

import contextlib
import os
import random
import sys
import warnings
from pathlib import Path
from typing import Any

import msgspec

from weaklink.base.errors import WeaklinkError
from weaklink.base.outside.processes import own_output
from weaklink.collect.samples.verifier.calling import Convention
from weaklink.collect.samples.verifier.exchange import REQUEST, Ask, Hello, Request, answered
from weaklink.collect.samples.verifier.loading import loaded

PAGE = 4096


def main(folder: Path) -> int:
    """Answers until there are no more questions."""
    questions, say = _own_input(), own_output()
    request = msgspec.json.decode((folder / REQUEST).read_bytes(), type=Request)
    warnings.simplefilter("ignore")
    try:
        convention = Convention(loaded(request.word), request.style)
    except WeaklinkError as error:
        say(Hello(unusable=str(error)))
        return 2
    _limit(request.memory)
    _seeded(request.seed)
    say(Hello(convention.style, convention.batched, convention.parameters, convention.answerless))
    for line in questions:
        ask = msgspec.json.decode(line, type=Ask)
        say(answered(convention, ask.rows, ask.chat))
    return 0


def _seeded(seed: int) -> None:
    random.seed(seed)
    numpy = sys.modules.get("numpy")
    if numpy is not None:
        numpy.random.seed(seed)


def _limit(memory: int) -> None:
    """The memory that may be written to, where the system can hold a process to it."""
    with contextlib.suppress(ImportError, OSError, ValueError, AttributeError, IndexError):
        import resource

        taken = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[5]) * PAGE
        resource.setrlimit(resource.RLIMIT_DATA, (taken + memory, taken + memory))


def _own_input() -> Any:
    """Questions from the parent; whoever else reads standard input finds nothing."""
    questions = os.fdopen(os.dup(0), "rb")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    return questions


if __name__ == "__main__":
    os._exit(main(Path(sys.argv[1])))  # whatever threads the verifier left behind do not hold us up
