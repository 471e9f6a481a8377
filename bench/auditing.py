"""What it costs to audit a million samples of one kilobyte: seconds and memory.

python bench/auditing.py [--rows N] [--keep FILE]

Writes JSON Lines of groups of eight, as a GRPO run would leave them, then reads, gathers and judges them in a process
of their own. Exits with 1 where a million rows take more than two minutes or one gigabyte.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

MOST_SECONDS = 120
MOST_MEMORY = 1e9
GROUP = 8
GROUPS_A_STEP = 64
SIZE = 1024
DIGITS = 9000


def vocabulary(rng: random.Random) -> list[str]:
    letters = "etaoinshrdlucmfwyp"
    return ["".join(rng.choices(letters, k=rng.randint(2, 9))) for _ in range(5000)]


def completion(rng: random.Random, words: list[str], answer: int) -> str:
    lines = [f"Let me work through problem {rng.randrange(DIGITS)} step by step."]
    size = len(lines[0])
    while size < SIZE - 120:
        line = " ".join(rng.choices(words, k=rng.randint(8, 24))).capitalize() + "."
        lines.append(f"{len(lines)}. {line}" if rng.random() < 0.3 else line)
        size += len(lines[-1]) + 1
    lines.append(f"So the final answer is \\boxed{{{answer}}}.")
    return "\n".join(lines)


def write(file: Path, rows: int, seed: int = 0) -> None:
    rng = random.Random(seed)
    words = vocabulary(rng)
    bodies = [completion(rng, words, rng.randrange(50)) for _ in range(20_000)]
    with file.open("w") as out:
        for row in range(rows):
            draw = row // GROUP
            right = rng.random() < 0.5
            text = f"{rng.choice(bodies)} ({row})"
            sample = {
                "step": draw // GROUPS_A_STEP,
                "prompt": f"Problem {draw % 5000}: how many are there?",
                "completion": text,
                "reward": right + 0.2,
                "rewards": {"accuracy": float(right), "format": 0.2},
                "gold": int(right),
                "advantage": round(rng.gauss(0, 1), 4),
            }
            out.write(json.dumps(sample) + "\n")


def measured(file: Path) -> None:
    """Runs in a process of its own, so that its memory is its own."""
    from weaklink import audit
    from weaklink.collect.readers.samples import open_samples
    from weaklink.collect.samples.gathering import gather

    start = time.perf_counter()
    samples = gather(open_samples(file), file.name)
    gathered = time.perf_counter() - start
    memory_gathered = memory()
    tables = audit(samples).tables
    assert tables is not None
    print(json.dumps([gathered, time.perf_counter() - start, spent(), memory_gathered, memory()]))


def memory() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024.0


def spent() -> float:
    """CPU time of this process and of those that helped it."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--keep", type=Path, help="write the samples here and keep them")
    parser.add_argument("--measure", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure:
        measured(options.measure)
        return 0
    with tempfile.TemporaryDirectory() as folder:
        file = options.keep or Path(folder) / "samples.jsonl"
        if not file.exists():
            write(file, options.rows)
        done = subprocess.run([sys.executable, __file__, "--measure", str(file)], capture_output=True, text=True)
        if done.returncode:
            print(done.stderr, file=sys.stderr)
            return 1
        gathered, audited, busy, memory_gathered, memory_audited = json.loads(done.stdout)
        print(f"{options.rows:,} samples, {file.stat().st_size / options.rows:,.0f} bytes each")
    print(f"read and gathered in {gathered:.1f} s; peak memory {memory_gathered / 1e6:,.0f} MB")
    print(f"audited in {audited:.1f} s in all; peak memory {memory_audited / 1e6:,.0f} MB")
    print(f"{busy / options.rows * 1e6:.0f} us of CPU a sample")
    share = max(options.rows / 1_000_000, 0.1)
    return int(audited > MOST_SECONDS * share or memory_audited > MOST_MEMORY)


if __name__ == "__main__":
    sys.exit(main())
