"""Whether kill -9 costs a watched training more than the last two seconds of its recording.

    python bench/hold_kills.py [--kills 20] [--longest 8] [--seed 0] [ppo dqn sac torchrl grpo loop]

Each training of bench/hold_monitor.py runs in a process of its own under a monitor and is killed at a random moment
after its first row. Every row that the recorder is given is noted, with its time, in memory that outlives the process,
where a thread keeps the time as well: so all ages are by the clock of the training, and a machine that does not let it
run counts for nothing. What is left must be readable, hold every row but those of the last two seconds, in their order,
and no damaged line but the one that was being written; and a new recording must go on where it was cut off.
"""

from __future__ import annotations

import argparse
import contextlib
import mmap
import random
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "bench")]

MOST_ROWS = 1_000_000
HEAD = struct.Struct("<qd")
"""How many rows were told, and the time when the process was last seen alive; the time of each row follows."""

ALLOWED = 2.0
ENDLESS = 10**9
FIRST_ROW = 600.0
"""Seconds that a training may take until its first row: frameworks are loaded before."""


def train(task: str, folder: str, told: str, seed: int) -> None:
    """In the child: trains without an end, and notes every row."""
    from hold_monitor import TASKS
    from weaklink.collect.monitor.recorder import Recorder

    with open(told, "r+b") as file:
        memory = mmap.mmap(file.fileno(), 0)
    write, count = Recorder.write, 0

    def noting(self: Recorder, *given: object, **named: object) -> None:
        nonlocal count
        write(self, *given, **named)
        struct.pack_into("<d", memory, HEAD.size + 8 * count, time.time())
        count += 1

    def beat() -> None:
        while True:
            HEAD.pack_into(memory, 0, count, time.time())
            time.sleep(0.02)

    Recorder.write = noting
    threading.Thread(target=beat, daemon=True).start()
    TASKS[task](task, folder, ENDLESS, seed)


@dataclass(frozen=True)
class KillResult:
    """Rows told and left, the age of the oldest that is lost, damaged lines by kind, and what is wrong if anything."""

    told: int
    left: int
    oldest_lost: float
    damaged: dict[str, int]
    wrong: str


def kill(task: str, place: Path, after: float, seed: int) -> KillResult:
    """One training, killed so many seconds after its first row."""
    folder, told = place / "run", place / "told"
    with told.open("wb") as file:
        file.truncate(HEAD.size + 8 * MOST_ROWS)
    words = [sys.executable, __file__, task, "--child", str(folder), str(told), "--seed", str(seed)]
    with told.open("r+b") as file, mmap.mmap(file.fileno(), 0) as memory:
        with subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as child:
            begins = time.monotonic() + FIRST_ROW
            while not HEAD.unpack_from(memory)[0] and child.poll() is None and time.monotonic() < begins:
                time.sleep(0.05)
            time.sleep(after)
            ended = child.poll()
            child.send_signal(signal.SIGKILL)
            complaint = child.stderr.read().decode("utf-8", "replace")
        _, alive = HEAD.unpack_from(memory)
        times = np.frombuffer(memory[HEAD.size :], np.float64)
        times = times[: np.count_nonzero(times)].copy()
    if ended is not None or not len(times):
        what = f"it ended by itself ({ended})" if ended is not None else f"no row within {FIRST_ROW:g} s"
        return KillResult(len(times), 0, 0.0, {}, f"{what}: {complaint[-400:]}")
    return look_at(folder, times, alive)


def look_at(folder: Path, times: np.ndarray, alive: float) -> KillResult:
    """What is left of a killed training beside what its recorder was told."""
    import weaklink
    from weaklink.base.evidence import store
    from weaklink.collect.monitor.recorder import Recorder

    damage = store.LineDamage()
    rows = [row for line in store.read_lines(folder, damage) if (row := damage.parse_row(line)) is not None]
    lost = max(alive - float(times[len(rows)]), 0.0) if len(rows) < len(times) else 0.0
    wrong = [f"a row of {lost:.2f} s is lost"] if lost > ALLOWED else []
    if len(rows) > len(times) + 1:
        wrong.append(f"{len(rows)} rows are left of {len(times)} that were told")
    if sum(damage.counts.values()) > 1:
        wrong.append(f"damaged lines: {damage.counts}")
    try:
        weaklink.read(folder)
        after = Recorder(folder)
        after.write(rows[-1]["step"] + 1 if rows else 0, {"told": 1.0})
        after.close()
        if len(list(store.read_rows(folder))) != len(rows) + 1:
            wrong.append("the recording does not go on where it was cut off")
    except Exception as error:
        if rows:
            wrong.append(f"it cannot be read: {error}")
    return KillResult(len(times), len(rows), lost, damage.counts, "; ".join(wrong))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tasks", nargs="*", default=["ppo", "dqn", "sac", "torchrl", "grpo", "loop"])
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--longest", type=float, default=8.0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--child", nargs=2, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.child:
        train(given.tasks[0], *given.child, given.seed)
        return 0
    draw, results = random.Random(given.seed), []
    for number in range(given.kills):
        task, after = given.tasks[number % len(given.tasks)], draw.uniform(0.0, given.longest)
        place = Path(tempfile.mkdtemp(prefix="hold-kills-"))
        with contextlib.ExitStack() as ends:
            ends.callback(shutil.rmtree, place, ignore_errors=True)
            result = kill(task, place, after, given.seed + number)
        results.append(result)
        told = f"{result.left} of {result.told} rows left, the oldest lost {result.oldest_lost:.2f} s old"
        wrong = f" WRONG: {result.wrong}" if result.wrong else ""
        print(f"{task} after {after:.1f} s: {told}, damaged {result.damaged}{wrong}", flush=True)
    worst = max(result.oldest_lost for result in results)
    failed = sum(bool(result.wrong) for result in results)
    print(
        f"{len(results)} kills, {failed} wrong; the oldest row lost was {worst:.2f} s old ({ALLOWED:g} s are allowed)"
    )
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
