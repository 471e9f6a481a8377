"""A worker for tests: does what each message says and answers it."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from typing import Any

import msgspec

from weaklink.base.outside.messages import ParentChannel

SLEEP = [sys.executable, "-c", "import time; time.sleep(600)"]


class Asked(msgspec.Struct, frozen=True):
    what: str
    value: Any = None


class Answered(msgspec.Struct, frozen=True):
    what: str
    value: Any = None


def main() -> None:
    parent = ParentChannel()
    parent.say(Answered("ready", os.getcwd()))
    for asked in parent.hear_all(Asked):
        parent.say(Answered(asked.what, ACTIONS[asked.what](asked.value)))


def dies(code: int) -> None:
    os.write(2, b"the last words\n")
    os._exit(code)


def takes_memory(count: int) -> None:
    kept = bytearray(b"x") * count
    time.sleep(600)
    del kept


def unsettles(value: object) -> None:
    for number in (0, 1, 2):
        os.close(number)
    sys.stdout.close()
    os.chdir("/")


def prints(count: int) -> None:
    print("x" * count)
    print("the end")


def starts(new_session: bool) -> int:
    return subprocess.Popen(SLEEP, start_new_session=new_session, env={"PATH": os.environ["PATH"]}).pid


def dies_with_a_fork(value: object) -> None:
    if os.fork() == 0:
        time.sleep(600)
    os._exit(4)


ACTIONS = {
    "echo": lambda value: value,
    "sleep": time.sleep,
    "exit": dies,
    "mute": lambda value: os.closerange(3, 100),
    "memory": takes_memory,
    "unsettle": unsettles,
    "print": prints,
    "where": lambda value: (os.getcwd(), sys.stdin.read(), print("seen")),
    "start": starts,
    "fork": lambda value: os.fork() and None,
    "leave": dies_with_a_fork,
    "environment": os.environ.get,
}

if __name__ == "__main__":
    main()
    os._exit(0)
