"""How fast weaklink reads TensorBoard's event files, beside tbparse and TensorBoard's own EventAccumulator.

python bench/reading.py [--scalars N] [--big]

Writes an event file of its own, reads it with all three in this process (imports apart) and compares counts
and sums. Exits with 1 where weaklink is not 15 times as fast as either, or needs more than 150 MB.
"""

from __future__ import annotations

import argparse
import json
import math
import resource
import struct
import subprocess
import sys
import tempfile
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from unittest import mock

import numpy as np

LEAST_RATIO = 15
MOST_MEMORY = 150e6
BIG = 10_000_000
TAGS = (
    *(f"charts/{name}" for name in ("episodic_return", "episodic_length", "learning_rate", "SPS")),
    *(f"losses/{name}" for name in ("value_loss", "policy_loss", "entropy", "approx_kl", "clipfrac")),
    "losses/explained_variance",
)
Sums = dict[str, tuple[int, float]]


def crc_table() -> list[int]:
    table = []
    for byte in range(256):
        for _ in range(8):
            byte = byte >> 1 ^ (0x82F63B78 if byte & 1 else 0)
        table.append(byte)
    return table


def masked_crc(data: bytes, table: list[int]) -> int:
    crc = 0xFFFFFFFF
    for byte in data:
        crc = table[(crc ^ byte) & 0xFF] ^ crc >> 8
    crc ^= 0xFFFFFFFF
    return ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF


def varint(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes((*out, value))


def message(number: int, payload: bytes) -> bytes:
    return varint(number << 3 | 2) + varint(len(payload)) + payload


def record(data: bytes, table: list[int]) -> bytes:
    length = struct.pack("<Q", len(data))
    return b"".join(
        (
            length,
            struct.pack("<I", masked_crc(length, table)),
            data,
            struct.pack("<I", masked_crc(data, table)),
        )
    )


def write_events(path: Path, scalars: int) -> None:
    """Writes that many scalars, by turns under each tag, as CleanRL and Stable-Baselines3 do."""
    table = crc_table()
    values = np.random.default_rng(0).normal(size=scalars)
    with path.open("wb") as file:
        file.write(record(struct.pack("<Bd", 0x09, 1.7e9) + message(3, b"brain.Event:2"), table))
        for index in range(scalars):
            step = index // len(TAGS) * 64
            body = message(1, TAGS[index % len(TAGS)].encode()) + struct.pack("<Bf", 0x15, values[index])
            head = struct.pack("<Bd", 0x09, 1.7e9 + index * 1e-3) + b"\x10" + varint(step)
            file.write(record(head + message(5, message(1, body)), table))


def write_many(path: Path, scalars: int, source: Path) -> None:
    """Writes a long file by repeating the records of a short one."""
    block = source.read_bytes()
    per_block = sum(count for count, _ in read_ours(source).values())
    with path.open("wb") as file:
        for _ in range(math.ceil(scalars / per_block)):
            file.write(block)


def read_ours(path: Path) -> Sums:
    from weaklink.base.evidence.series import Provenance
    from weaklink.collect.readers import tensorboard

    (raw,) = tensorboard.read([path])
    series = {tag: builder.build(tag, Provenance(tag)) for tag, builder in raw.columns.items()}
    return {tag: (found.count, math.nan) for tag, found in series.items()}


def every_point_of_ours(path: Path) -> Sums:
    """Counts and sums of what the reader hands to the builders, which merge points afterwards."""
    from weaklink.base.evidence.series import SeriesBuilder
    from weaklink.collect.readers import tensorboard

    sums: dict[int, float] = {}

    def extend(builder: SeriesBuilder, steps: object, values: object, times: object = None) -> None:
        sums[id(builder)] = sums.get(id(builder), 0.0) + float(np.sum(values))
        original(builder, steps, values, times)

    original = SeriesBuilder.extend
    with mock.patch.object(SeriesBuilder, "extend", extend):
        (raw,) = tensorboard.read([path])
    return {tag: (len(builder), sums[id(builder)]) for tag, builder in raw.columns.items()}


def read_accumulator(path: Path) -> Sums:
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    events = EventAccumulator(str(path), size_guidance={"scalars": 0})
    events.Reload()
    found = {}
    for tag in events.Tags()["scalars"]:
        values = [event.value for event in events.Scalars(tag)]
        found[tag] = (len(values), math.fsum(values))
    return found


def read_tbparse(path: Path) -> Sums:
    from tbparse import SummaryReader

    scalars = SummaryReader(str(path)).scalars
    return {str(tag): (len(rows), float(rows["value"].sum())) for tag, rows in scalars.groupby("tag")}


def timed(reader: Callable[[Path], Sums], path: Path, repeats: int) -> tuple[Sums, float, float]:
    """What a reader found, and its least wall and processor time."""
    walls, processors = [], []
    for _ in range(repeats):
        wall, processor = time.perf_counter(), time.process_time()
        found = reader(path)
        walls.append(time.perf_counter() - wall)
        processors.append(time.process_time() - processor)
    return found, min(walls), min(processors)


def memory_of(path: Path, *, trace: bool) -> dict[str, float]:
    """Reads the file in a fresh process and returns how much memory that took and how long."""
    command = [sys.executable, __file__, "--measure", str(path), *(["--trace"] if trace else [])]
    found = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return dict(json.loads(found))


def measure(path: Path, *, trace: bool) -> None:
    from weaklink.collect.readers import tensorboard

    before = resident("VmRSS")
    if trace:
        tracemalloc.start()
    start = time.perf_counter()
    (raw,) = tensorboard.read([path])
    seconds = time.perf_counter() - start
    traced = tracemalloc.get_traced_memory()[1] if trace else 0
    peak = resident("VmHWM")
    count = sum(len(builder) for builder in raw.columns.values())
    print(json.dumps({"growth": peak - before, "peak": peak, "traced": traced, "seconds": seconds, "count": count}))


def resident(name: str) -> int:
    """Resident memory now (VmRSS) or at most (VmHWM); ru_maxrss would count the parent's memory too."""
    try:
        status = Path("/proc/self/status").read_text()
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    return int(status.split(f"{name}:")[1].split()[0]) * 1024


def same(ours: Sums, theirs: Sums) -> bool:
    return ours.keys() == theirs.keys() and all(
        ours[tag][0] == theirs[tag][0] and math.isclose(ours[tag][1], theirs[tag][1], rel_tol=1e-6, abs_tol=1e-3)
        for tag in ours
    )


def compare(path: Path) -> bool:
    """Times the three readers on one file; whether weaklink agrees with the others and is fast enough."""
    import tbparse  # noqa: F401
    from tensorboard.backend.event_processing import event_accumulator  # noqa: F401

    from weaklink.collect.readers import tensorboard  # noqa: F401

    _, wall, processor = timed(read_ours, path, repeats=3)
    print(f"{'weaklink':<18}{wall:8.2f} s wall {processor:8.2f} s processor")
    ours = every_point_of_ours(path)
    good = True
    for name, reader in (("EventAccumulator", read_accumulator), ("tbparse", read_tbparse)):
        theirs, their_wall, their_processor = timed(reader, path, repeats=1)
        ratio = min(their_wall / wall, their_processor / processor)
        agrees = same(ours, theirs)
        good &= agrees and ratio >= LEAST_RATIO
        print(f"{name:<18}{their_wall:8.2f} s wall {their_processor:8.2f} s processor", end="")
        print(f"   {ratio:6.1f} times as long   {'same counts and sums' if agrees else 'OTHER COUNTS OR SUMS'}")
    return good


def within_memory(path: Path, *, trace: bool) -> bool:
    """Reads a file in a process of its own and says what memory it took."""
    found = memory_of(path, trace=False)
    traced = memory_of(path, trace=True)["traced"] if trace else 0.0
    print(
        f"{found['count']:,.0f} scalars, {path.stat().st_size / 1e6:.0f} MB, in {found['seconds']:.2f} s: "
        f"{found['growth'] / 1e6:.0f} MB more resident, {found['peak'] / 1e6:.0f} MB in all"
        + (f", {traced / 1e6:.0f} MB allocated" if trace else "")
    )
    return max(found["growth"], traced) <= MOST_MEMORY


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--scalars", type=int, default=500_000, help="how many scalars the file holds")
    parser.add_argument("--big", action="store_true", help="also read 10 million scalars")
    parser.add_argument("--measure", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--trace", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure:
        measure(options.measure, trace=options.trace)
        return 0
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "events.out.tfevents.1700000000.bench.1.0"
        write_events(path, options.scalars)
        good = compare(path)
        good &= within_memory(path, trace=True)
        if options.big:
            big = Path(folder) / "events.out.tfevents.1700000001.bench.1.1"
            write_many(big, BIG, path)
            good &= within_memory(big, trace=False)
    print("good" if good else f"NOT GOOD: at least {LEAST_RATIO} times and at most {MOST_MEMORY / 1e6:.0f} MB wanted")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
