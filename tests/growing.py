"""A run that grows: written row by row, by a process of its own, as a trainer would.

    python -m tests.growing recording FOLDER --rows 60 --every 0.02 --sick-from 40 --finding-after 50

It prints the moment at which the finding was on disk.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Mapping
from itertools import chain, cycle
from pathlib import Path

import numpy as np

from tests.curves import noisy, rising
from tests.readers.samples.tensorboard.writer import event, scalar
from weaklink.base.evidence.store import Recording
from weaklink.base.finding import Finding, Level, encode_finding
from weaklink.base.loop import Link

STEPS = 2048
PROVEN = "RET201"
LAST = 20

SB3 = {
    "reward.episode_return": "rollout/ep_rew_mean",
    "task.episode_length": "rollout/ep_len_mean",
    "policy.kl": "train/approx_kl",
    "policy.clip_fraction": "train/clip_fraction",
    "value.explained_variance": "train/explained_variance",
    "optimizer.learning_rate": "train/learning_rate",
}

Row = Mapping[str, float]


def curves(rows: int, sick_from: int | None = None) -> list[Row]:
    """A PPO run that learns; from a row on, its updates are far too large and the return falls."""
    columns = {
        "reward.episode_return": rising(20, 400, points=rows),
        "task.episode_length": rising(20, 400, points=rows, seed=1),
        "policy.kl": np.abs(noisy(0.008, 0.001, points=rows)),
        "policy.clip_fraction": np.abs(noisy(0.1, 0.02, points=rows)),
        "value.explained_variance": rising(0.0, 0.9, points=rows, seed=2),
        "optimizer.learning_rate": np.full(rows, 3e-4),
    }
    if sick_from is not None:
        columns["policy.kl"][sick_from:] = np.abs(noisy(0.6, 0.05, points=rows))[sick_from:]
        columns["policy.clip_fraction"][sick_from:] = noisy(0.8, 0.02, points=rows)[sick_from:]
        columns["reward.episode_return"][sick_from:] = noisy(20, 2, points=rows)[sick_from:]
    return [{name: float(values[row]) for name, values in columns.items()} for row in range(rows)]


def proof() -> Finding:
    """What a monitor inside of the loop would write down."""
    return Finding(
        message="The advantages differ from those recomputed.", code=PROVEN, name="made", link=Link.RETURNS,
        level=Level.WARN, confidence=0.9, onset=10.0 * STEPS,
    )  # fmt: skip


def into_recording(folder: Path) -> Callable[[int, Row], None]:
    Recording(folder, context={"framework": "sb3"}).close()

    def write(step: int, row: Row) -> None:
        with Recording(folder) as recording:
            recording.write(step, row)

    return write


def prove_in(folder: Path) -> None:
    """Writes a finding into a recording, as a monitor inside of the loop does."""
    with Recording(folder) as recording:
        recording.add("finding", encode_finding(proof()))


def into_table(folder: Path) -> Callable[[int, Row], None]:
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / "progress.csv"
    file.write_text(",".join(["time/total_timesteps", *SB3.values()]) + "\n", encoding="utf-8")

    def write(step: int, row: Row) -> None:
        line = ",".join(f"{value:.6g}" for value in (step, *(row[name] for name in SB3)))
        in_halves(file, f"{line}\n".encode())

    return write


def into_events(folder: Path) -> Callable[[int, Row], None]:
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / "events.out.tfevents.1700000000.host.1.0"

    def write(step: int, row: Row) -> None:
        in_halves(
            file, b"".join(event(step, scalar(SB3[name], value), time=1.7e9 + step) for name, value in row.items())
        )

    return write


def in_halves(file: Path, content: bytes) -> None:
    """Appends in two goes, so that a reader meets half a row now and then."""
    half = len(content) // 2
    for part in (content[:half], content[half:]):
        with file.open("ab") as out:
            out.write(part)


WRITERS = {"recording": into_recording, "table": into_table, "events": into_events}


def main() -> None:
    options = argparse.ArgumentParser()
    options.add_argument("kind", choices=WRITERS)
    options.add_argument("folder", type=Path)
    options.add_argument("--rows", type=int, default=60)
    options.add_argument("--every", type=float, default=0.02)
    options.add_argument("--sick-from", type=int)
    options.add_argument("--finding-after", type=int)
    options.add_argument("--endless", action="store_true", help="the last rows again and again, until it is killed")
    given = options.parse_args()
    write = WRITERS[given.kind](given.folder)
    rows = curves(given.rows, given.sick_from)
    for index, row in enumerate(chain(rows, cycle(rows[-LAST:]) if given.endless else ()), 1):
        write(STEPS * index, row)
        if index == given.finding_after:
            prove_in(given.folder)
            print(time.time(), flush=True)
        time.sleep(given.every)


if __name__ == "__main__":
    main()
