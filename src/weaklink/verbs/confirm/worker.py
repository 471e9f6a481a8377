"""The process from which experiments are started: it loads the frameworks once and does each job in a fork of itself.

So every training begins as in a fresh process, with nothing of the user's loaded, and without the seconds that loading
torch takes. It is told what to do, and says when each job is done.
"""

from __future__ import annotations

import contextlib
import faulthandler
import os
import select
import subprocess
import sys
import traceback
from importlib import import_module, util
from pathlib import Path

import msgspec

from weaklink.base.errors import WeaklinkError
from weaklink.base.evidence.config import Config
from weaklink.base.evidence.rollout import Rollout
from weaklink.base.evidence.run import Run
from weaklink.base.outside import guard
from weaklink.base.outside.messages import ParentChannel, unpack_line
from weaklink.base.outside.own_code import describe_error
from weaklink.judge.rules._registry import load_rules_on
from weaklink.verbs.confirm.job import PRINTED, REPLY, REQUEST, ExperimentJob, JobEnded, JobOrder, JobReply

ONE = "--one"
POLL = 0.05
CHUNK = 65_536
FORKS = hasattr(os, "fork")


def main() -> None:
    """Does jobs until nothing more is asked for."""
    parent = ParentChannel()
    if FORKS:
        JobServer(parent).serve()
        return
    for order in parent.hear_all(JobOrder):
        words = [sys.executable, "-m", "weaklink.verbs.confirm.worker", ONE, order.folder]
        status = subprocess.run(words, stdin=subprocess.DEVNULL, check=False).returncode
        parent.say(JobEnded(order.folder, status))


class JobServer:
    """Reads orders and forks, several at a time."""

    def __init__(self, parent: ParentChannel) -> None:
        self._parent = parent
        self._running: dict[int, str] = {}
        self._rest = b""
        self._open, self._loaded = True, False

    def serve(self) -> None:
        """Until the input ends and nothing runs any more."""
        while self._open or self._running:
            ready = select.select([self._parent.input], [], [], POLL)[0] if self._open else []
            if ready:
                self._read()
            for child in list(self._running):
                done, status = os.waitpid(child, os.WNOHANG)
                if done:
                    guard.end_group(child)  # what it started and left
                    self._parent.say(JobEnded(self._running.pop(child), os.waitstatus_to_exitcode(status)))

    def _read(self) -> None:
        got = os.read(self._parent.input.fileno(), CHUNK)
        self._open = bool(got)
        *lines, self._rest = (self._rest + got).split(b"\n")
        for line in lines:
            self._obey(unpack_line(line, JobOrder))

    def _obey(self, order: JobOrder) -> None:
        if order.end:
            for child, folder in self._running.items():
                if folder == order.folder:
                    guard.end_each([child, *guard.find_family(lambda mark: False, child)])
            return
        if order.frameworks and not self._loaded:
            self._loaded = True
            preload()
        child = os.fork()
        if child == 0:
            os.setsid()  # so that what it starts can be ended with it
            os._exit(do_one_job(Path(order.folder)))
        self._running[child] = order.folder


def preload() -> None:
    """What most targets need; nothing of it starts a thread or draws a number."""
    import_module("weaklink.verbs.confirm.work")
    import_module("weaklink.verbs.debug.watched")
    load_rules_on(Run, Config, Rollout)
    with contextlib.suppress(Exception):
        if util.find_spec("torch") is not None:
            import_module("weaklink.adapters.torch.preloaded").preload_optimizer()
        if util.find_spec("stable_baselines3") is not None:
            import_module("weaklink.adapters.sb3.watch")


def do_one_job(folder: Path) -> int:
    """Does the job of a folder and leaves the reply there."""
    with (folder / PRINTED).open("wb") as printed:
        for stream in (1, 2):
            os.dup2(printed.fileno(), stream)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        faulthandler.enable()
        reply = _reply(folder)
    unfinished = folder / f"{REPLY}.unfinished"
    unfinished.write_bytes(msgspec.msgpack.encode(reply))
    unfinished.replace(folder / REPLY)
    return 0


def _reply(folder: Path) -> JobReply:
    from weaklink.verbs.confirm.work import do_job

    job = msgspec.json.decode((folder / REQUEST).read_bytes(), type=ExperimentJob)
    try:
        return do_job(job, folder)
    except WeaklinkError as error:
        return JobReply(unusable=str(error))
    except BaseException as error:  # also an exit of the user's: it must not pass for the end of ours
        traceback.print_exc()
        return JobReply(unusable=f"{job.target.word or job.target.name} failed: {describe_error(error)}.")


if __name__ == "__main__":
    if sys.argv[1:2] == [ONE]:
        os._exit(do_one_job(Path(sys.argv[2])))
    main()
    os._exit(0)
