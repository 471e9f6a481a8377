"""The process from which experiments are started: it loads the frameworks once and does each job in a fork of itself.

So every training begins as in a fresh process, with nothing of the user's loaded, and without the seconds that loading
torch takes. It is told what to do on its standard input, a line each, and says when each is done.
"""

from __future__ import annotations

import contextlib
import faulthandler
import os
import select
import signal
import subprocess
import sys
import traceback
import warnings
from collections.abc import Callable
from importlib import import_module, util
from pathlib import Path
from typing import Any

import msgspec

from weaklink.base.errors import WeaklinkError
from weaklink.base.evidence.config import Config
from weaklink.base.evidence.rollout import Rollout
from weaklink.base.evidence.run import Run
from weaklink.base.outside.own_code import told
from weaklink.base.outside.processes import own_output
from weaklink.judge.rules._registry import rules_on
from weaklink.verbs.confirm.job import PRINTED, REPLY, REQUEST, Job, Order, Reply

ONE = "--one"
POLL = 0.05
CHUNK = 65_536
FORKS = hasattr(os, "fork")


def main() -> None:
    """Does jobs until the input ends."""
    say = own_output()
    faulthandler.enable()
    warnings.simplefilter("ignore")
    if FORKS:
        Server(say).serve()
        return
    for line in sys.stdin.buffer:
        order = msgspec.json.decode(line, type=Order)
        words = [sys.executable, "-m", "weaklink.verbs.confirm.worker", ONE, order.folder]
        status = subprocess.run(words, stdin=subprocess.DEVNULL, check=False).returncode
        say({"folder": order.folder, "status": status})


class Server:
    """Reads orders and forks, several at a time."""

    def __init__(self, say: Callable[[Any], None]) -> None:
        self._say = say
        self._running: dict[int, str] = {}
        self._rest = b""
        self._open, self._loaded = True, False

    def serve(self) -> None:
        """Until the input ends and nothing runs any more."""
        while self._open or self._running:
            ready = select.select([0], [], [], POLL)[0] if self._open else []
            if ready:
                self._read()
            for child in list(self._running):
                done, status = os.waitpid(child, os.WNOHANG)
                if done:
                    code = os.waitstatus_to_exitcode(status)
                    self._say({"folder": self._running.pop(child), "status": code})

    def _read(self) -> None:
        got = os.read(0, CHUNK)
        self._open = bool(got)
        *lines, self._rest = (self._rest + got).split(b"\n")
        for line in lines:
            self._obey(msgspec.json.decode(line, type=Order))

    def _obey(self, order: Order) -> None:
        if order.end:
            for child, folder in self._running.items():
                if folder == order.folder:
                    os.kill(child, signal.SIGKILL)
            return
        if order.frameworks and not self._loaded:
            self._loaded = True
            preload()
        child = os.fork()
        if child == 0:
            os._exit(one(Path(order.folder)))
        self._running[child] = order.folder


def preload() -> None:
    """What most targets need; nothing of it starts a thread or draws a number."""
    import_module("weaklink.verbs.confirm.work")
    import_module("weaklink.verbs.debug.watched")
    rules_on(Run, Config, Rollout)
    with contextlib.suppress(Exception):
        if util.find_spec("torch") is not None:
            import_module("weaklink.adapters.torch.preloaded").preload()
        if util.find_spec("stable_baselines3") is not None:
            import_module("weaklink.adapters.sb3.watch")


def one(folder: Path) -> int:
    """Does the job of a folder and leaves the reply there."""
    with (folder / PRINTED).open("wb") as printed:
        for stream in (1, 2):
            os.dup2(printed.fileno(), stream)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        reply = _reply(folder)
    unfinished = folder / f"{REPLY}.unfinished"
    unfinished.write_bytes(msgspec.msgpack.encode(reply))
    unfinished.replace(folder / REPLY)
    return 0


def _reply(folder: Path) -> Reply:
    from weaklink.verbs.confirm.work import carried_out

    job = msgspec.json.decode((folder / REQUEST).read_bytes(), type=Job)
    try:
        return carried_out(job, folder)
    except WeaklinkError as error:
        return Reply(unusable=str(error))
    except BaseException as error:  # also an exit of the user's: it must not pass for the end of ours
        traceback.print_exc()
        return Reply(unusable=f"{job.target.word or job.target.name} failed: {told(error)}.")


if __name__ == "__main__":
    if sys.argv[1:2] == [ONE]:
        os._exit(one(Path(sys.argv[2])))
    main()
    os._exit(0)
