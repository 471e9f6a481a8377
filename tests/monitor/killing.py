"""A child that records rows and is killed at a random moment; what it had told is compared with what is left."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from weaklink.base.evidence import store

CHILD = """
import sys, time
from weaklink.collect.monitor.recorder import Recorder

recorder = Recorder(sys.argv[1])
step = 0
print("ready", flush=True)
while True:
    recorder.write(step, {"told": time.time()})
    step += 1
    time.sleep(0.002)
"""


@dataclass(frozen=True)
class Killed:
    """What one kill left: the rows, whether they are a run of steps without a gap, and how old the newest row was."""

    rows: int
    gapless: bool
    seconds_lost: float


def kill_once(folder: Path, seed: int, longest: float = 4.0) -> Killed:
    """Records into a folder and kills the process after a random time."""
    after = random.Random(seed).uniform(0.0, longest)
    command = [sys.executable, "-c", CHILD, str(folder)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout.readline() == "ready\n"
        began = time.time()
        time.sleep(after)
        child.send_signal(signal.SIGKILL)
        killed = time.time()
        child.wait()
    rows = list(store.read_rows(folder)) if (folder / store.FILE).exists() else []
    newest = rows[-1]["metrics"]["told"] if rows else began
    gapless = [row["step"] for row in rows] == list(range(len(rows)))
    return Killed(len(rows), gapless, killed - newest)
