"""The survey of the environment that a script trains in, beside the training: by a fork that may touch nothing.

The fork knows the classes that the script defines, plays in instances of its own, and hands its parts over through a
file. It runs at a lower priority, may not write, connect or start anything, and is gone after its time whatever the
environment does. The script itself gives away the moment of the fork, and nothing else.
"""

from __future__ import annotations

import contextlib
import os
import signal
import struct
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec

from weaklink.base.errors import UsageError
from weaklink.base.evidence.packing import pack_part
from weaklink.base.outside.own_code import describe_error
from weaklink.collect.survey.plan import SurveyPlan
from weaklink.collect.survey.session import SurveySession
from weaklink.collect.survey.stages import run_stages
from weaklink.collect.survey.surveyed import find_maker

SECONDS = 20.0
"""How much of a processor's time a survey takes at most; preflight's rules are measured with as many seconds."""

SLACK = 10.0
"""Seconds of computing without a sign of life after which a fork is ended."""

LONGEST = 600
"""Seconds by the clock, for environments that wait more than they compute, and where others have the processors."""

POLITENESS = 10
"""By how much its priority is lower: it takes what the training leaves."""

PROMPT, EVERY = 5.0, 0.002
"""Seconds that a fork may take to fork again, and between two looks whether it has."""

LENGTH = struct.Struct("<Q")
REFUSED = (
    "os.exec", "os.fork", "os.forkpty", "os.link", "os.mkdir", "os.posix_spawn", "os.remove", "os.rename", "os.rmdir",
    "os.spawn", "os.symlink", "os.system", "os.truncate", "socket.bind", "socket.connect", "socket.sendmsg",
    "socket.sendto", "subprocess.Popen", "webbrowser.open",
)  # fmt: skip
"""What reaches beyond the process, by the names of Python's audit events."""

WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND

LONGEST_REASON = 200
BEGIN, END = "begin", "end"
"""The fields of the first and the last part, which are not the survey's own."""

Make = Callable[[list[str]], Any]
"""Makes an environment anew; names of wrappers that cannot be are added to the list."""


class SurveyBegin(msgspec.Struct, frozen=True):
    """Which environment is surveyed, and by which process."""

    name: str
    process: int


class SurveyEnd(msgspec.Struct, frozen=True):
    """That a survey is over: which wrappers it had to do without, or why there is none."""

    left_out: tuple[str, ...] = ()
    refused: str = ""


class ForkedSurvey(msgspec.Struct, frozen=True):
    """What has come of a survey so far; `end` is None as long as it is under way, or where its process died."""

    begin: SurveyBegin
    end: SurveyEnd | None = None
    parts: tuple[bytes, ...] = ()

    @property
    def is_under_way(self) -> bool:
        """Whether more is to be expected."""
        return self.end is None and is_alive(self.begin.process)


def is_alive(process: int) -> bool:
    """Whether there is a process of this number."""
    try:
        os.kill(process, 0)
    except OSError:
        return False
    return True


class _Refusals:
    """Refuses whatever reaches beyond this process, and remembers the first of it."""

    def __init__(self) -> None:
        self.first = ""
        self.making = True
        sys.addaudithook(self._hear)

    def _hear(self, event: str, given: tuple[Any, ...]) -> None:
        opened = event == "open" and isinstance(given[2], int) and bool(given[2] & WRITING) and given[0] != os.devnull
        if not opened and event not in REFUSED:
            return
        if not self.making:  # a wrapper that cannot be made is left out, and then nothing of it is played
            self.first = self.first or f"it reaches beyond its process ({event} of {str(given[0])[:80]})"
        raise PermissionError(f"{event} is not allowed in a survey beside a training")


def fork_survey(make: Make, name: str, file: Path, parent: int) -> None:
    """Has a fork of this process survey an environment; returns at once.

    Args:
        make: makes an environment of its own, in the fork.
        name: what to call it.
        file: where the parts go, as `read_survey` reads them.
        parent: the process that waits for them: once it is gone, so is the fork.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of a fork beside other threads: none of them is needed there
        child = os.fork()
        if child:
            _reap(child)
            return
    try:  # whatever fails here, this process must not go on with the script
        # a grandchild is nobody's to wait for: a script that waits for its own processes must not meet it
        if not os.fork():
            _survey(make, name, file, parent)
    finally:
        os._exit(0)


def refuse_survey(name: str, file: Path, why: str) -> None:
    """Says in the place of a survey why there is none."""
    descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    _write_part(descriptor, {BEGIN: SurveyBegin(name, os.getpid())})
    _write_part(descriptor, {END: SurveyEnd(refused=why)})
    os.close(descriptor)


def _reap(child: int) -> None:
    """Waits for a child that only forks; one that is caught in what a library does at a fork is ended."""
    until = time.monotonic() + PROMPT
    with contextlib.suppress(ChildProcessError):  # a script may have its children reaped by the system
        while not os.waitpid(child, os.WNOHANG)[0]:
            if time.monotonic() > until:
                os.kill(child, signal.SIGKILL)
            time.sleep(EVERY)


def _survey(make: Make, name: str, file: Path, parent: int) -> None:
    _become_quiet()
    descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    _write_part(descriptor, {BEGIN: SurveyBegin(name, os.getpid())})
    refusals, left_out = _Refusals(), list[str]()

    def report(stage: str, steps: int) -> None:
        signal.setitimer(signal.ITIMER_PROF, SLACK)
        if not is_alive(parent):
            os._exit(0)

    def make_alone() -> Any:
        refusals.making = True
        try:
            return make(left_out)
        except Exception as error:  # that a second one cannot be made says nothing of the first
            raise UsageError(f"another one cannot be made: {describe_error(error)}") from error
        finally:
            refusals.making = False

    try:
        plan = SurveyPlan(seconds=SECONDS)
        session = SurveySession(find_maker(make_alone, plan)[0], plan, report, clock=time.process_time)
        for part in run_stages(session, {}):
            if refusals.first:
                raise UsageError(refusals.first)
            _write_part(descriptor, part)
        _write_part(descriptor, {END: SurveyEnd(left_out=tuple(sorted(set(left_out))))})
    except BaseException as error:
        _write_part(descriptor, {END: SurveyEnd(refused=refusals.first or str(error)[:LONGEST_REASON])})


def _become_quiet() -> None:
    """Lowers the priority, lets signals end this process at once, and has nothing printed."""
    os.nice(POLITENESS)
    for name in ("SIGALRM", "SIGPROF", "SIGINT", "SIGTERM", "SIGHUP"):
        signal.signal(getattr(signal, name), signal.SIG_DFL)
    signal.alarm(LONGEST)
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in range(3):
        os.dup2(nothing, stream)
    sys.dont_write_bytecode = True
    if "torch" in sys.modules:  # threads that the fork did not take along would be waited for
        sys.modules["torch"].set_num_threads(1)


def _write_part(descriptor: int, part: dict[str, Any]) -> None:
    packed = pack_part(part)
    os.write(descriptor, LENGTH.pack(len(packed)) + packed)


def read_survey(file: Path) -> ForkedSurvey | None:
    """What a fork has written until now; None where it has not begun."""
    try:
        content = file.read_bytes()
    except FileNotFoundError:
        return None
    parts: list[bytes] = []
    while len(content) >= LENGTH.size:
        (length,) = LENGTH.unpack_from(content)
        part, content = content[LENGTH.size : LENGTH.size + length], content[LENGTH.size + length :]
        if len(part) == length:
            parts.append(part)
    if not parts:
        return None
    begin, *rest = parts
    ends = [msgspec.msgpack.decode(rest[-1], type=dict[str, Any])] if rest else []
    end = next((msgspec.convert(each[END], SurveyEnd) for each in ends if END in each), None)
    told = msgspec.convert(msgspec.msgpack.decode(begin)[BEGIN], SurveyBegin)
    return ForkedSurvey(told, end, tuple(rest if end is None else rest[:-1]))
