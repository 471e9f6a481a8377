"""A child that records rows and is killed at a random moment; what it had told is compared with what is left.

Both are read off the clock of the child: it writes the time into each row and, before anything else can happen, into
memory that outlives it. That clock goes on only while the child runs: a machine that is too busy to let it run at all,
or that stands still for seconds, does not count as a loss.
"""

from __future__ import annotations

import mmap
import random
import signal
import struct
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from weaklink.base.evidence import store

TOLD = struct.Struct("<qd")
"""The step and the time of the newest row that was told."""

CHILD = """
import mmap, struct, sys, time
from weaklink.collect.monitor.recorder import Recorder

file = open(sys.argv[2], "r+b")
told = mmap.mmap(file.fileno(), 16)
recorder = Recorder(sys.argv[1])
step, now = 0, 0.0
print("ready", flush=True)
before = time.monotonic()
while True:
    here = time.monotonic()
    now += min(here - before, 0.05)
    before = here
    recorder.write(step, {"told": now})
    told[:] = struct.pack("<qd", step, now)
    step += 1
    time.sleep(0.002)
"""


@dataclass(frozen=True)
class Killed:
    """What one kill left: the rows, whether they are a run of steps without a gap, and how much of the end is missing.

    `seconds_lost` lie between the newest row that was told and the newest that is left, by the clock of the child;
    `damaged` counts the lines that cannot be read, by kind.
    """

    rows: int
    gapless: bool
    seconds_lost: float
    damaged: dict[str, int]


def kill_once(folder: Path, seed: int, longest: float = 4.0) -> Killed:
    """Records into a folder and kills the process after a random time."""
    after = random.Random(seed).uniform(0.0, longest)
    told = folder.with_name(f"{folder.name}.told")
    told.write_bytes(TOLD.pack(-1, 0.0))
    command = [sys.executable, "-c", CHILD, str(folder), str(told)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout.readline() == "ready\n"
        time.sleep(after)
        child.send_signal(signal.SIGKILL)
        child.wait()
    return look_at(folder, told)


def look_at(folder: Path, told: Path) -> Killed:
    """What is left in a folder beside what was told."""
    damage = store.LineDamage()
    lines = store.read_lines(folder, damage) if (folder / store.FILE).exists() else ()
    rows = [row for line in lines if (row := damage.parse_row(line)) is not None]
    with told.open("r+b") as file, mmap.mmap(file.fileno(), TOLD.size) as memory:
        last, newest = TOLD.unpack(memory[:])
    kept = rows[-1]["metrics"]["told"] if rows else 0.0
    gapless = [row["step"] for row in rows] == list(range(len(rows))) and len(rows) <= last + 2
    return Killed(len(rows), gapless, max(newest - kept, 0.0), damage.counts)
