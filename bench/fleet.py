"""What fleets say and cost: planted causes in sweeps; many runs judged by one process, by two, and a second time.

python bench/fleet.py [--speed | --growth] [--runs N] [--scalars N]

Planted causes: of ten sweeps of 500 runs with a cause, the setting must be named in nine; of twenty sweeps without
one, in none. With --speed, a fleet of event files is judged instead, with --growth one whose runs grew since. Seconds
are given as the clock and as the processors count them; the gain of two processes is what the second kind allows on
two free cores, so that a busy machine can measure it too. Exits with 1 where something misses its goal.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from reading import write_events
from weaklink.base.evidence.sweep import Sweep, SweptRun
from weaklink.judge.diagnosis.patterns import find_patterns

RUNS = 500
LEAST_GAIN, LEAST_AGAIN, MOST_MEMORY = 1.8, 50.0, 500e6
CAUSES_FOUND, SILENT = 9, 20
EVENTS = "events.out.tfevents.1700000000.host.1.0"
GROWING, LEAST_TAIL = 20, 3.0
LINKS = {"POL301": "policy", "POL303": "policy", "VAL301": "value", "EXP301": "exploration", "REW301": "reward"}

Settings = dict[str, object]
Planted = tuple[str, set[str], Callable[[Settings], bool], float]

# what breaks, the settings that must be named and no others, when it breaks, and with which chance
CAUSES: tuple[Planted, ...] = (
    ("POL301", {"learning_rate"}, lambda s: s["learning_rate"] > 1e-3, 0.9),
    ("VAL301", {"gamma"}, lambda s: s["gamma"] >= 0.999, 0.7),
    ("EXP301", {"entropy_coefficient"}, lambda s: s["entropy_coefficient"] == 0.0, 0.8),
    ("POL303", {"activation"}, lambda s: s["activation"] == "relu", 0.5),
    ("POL301", {"learning_rate", "batch_size"}, lambda s: s["learning_rate"] > 1e-3 and s["batch_size"] <= 64, 0.9),
    ("VAL301", {"normalize"}, lambda s: s["normalize"] is False, 0.3),
    ("REW301", {"environment"}, lambda s: s["environment"] == "Hopper-v5", 0.6),
    ("POL303", {"epochs"}, lambda s: s["epochs"] > 10, 0.4),
    ("EXP301", {"learning_rate"}, lambda s: s["learning_rate"] < 3e-5, 0.6),
    (
        "POL301",
        {"clip_range", "epochs", "learning_rate"},
        lambda s: s["clip_range"] > 0.25 and s["epochs"] > 5 and s["learning_rate"] > 3e-4,
        0.95,
    ),
)


def draw_settings(draw: np.random.Generator) -> Settings:
    """A random search as people make them, with settings that do nothing among them."""
    return {
        "algorithm": "ppo",
        "environment": str(draw.choice(["Hopper-v5", "Walker2d-v5", "Ant-v5", "HalfCheetah-v5"])),
        "learning_rate": float(10 ** draw.uniform(-5, -2)),
        "batch_size": int(draw.choice([32, 64, 128, 256, 512])),
        "gamma": float(draw.choice([0.9, 0.98, 0.99, 0.995, 0.999])),
        "gae_lambda": float(draw.uniform(0.8, 1.0)),
        "clip_range": float(draw.choice([0.1, 0.2, 0.3])),
        "entropy_coefficient": float(draw.choice([0.0, 0.001, 0.01])),
        "epochs": int(draw.choice([3, 5, 10, 20])),
        "activation": str(draw.choice(["tanh", "relu", "elu"])),
        "normalize": bool(draw.random() < 0.6),
        "network": str(draw.choice(["64,64", "256,256", "400,300"])),
        "rollout_steps": int(draw.choice([512, 1024, 2048])),
        "run_name": f"run-{draw.integers(1 << 30)}",
    }


def draw_sweep(draw: np.random.Generator, cause: Planted | None, runs: int = RUNS) -> Sweep:
    """Runs of which some break anywhere by chance, a few configurations with several seeds, and one cause or none."""
    swept: list[SweptRun] = []
    while len(swept) < runs:
        settings = draw_settings(draw)
        for seed in range(int(draw.choice([1, 1, 1, 3, 5]))):
            code = str(draw.choice(list(LINKS))) if draw.random() < 0.08 else ""
            if cause is not None and cause[2](settings) and draw.random() < cause[3]:
                code = cause[0]
            swept.append(SweptRun({**settings, "seed": seed}, str(seed), LINKS.get(code, ""), code))
    return Sweep.of(swept[:runs])


def try_patterns() -> bool:
    """Plants causes and looks what is named."""
    began, found = time.process_time(), 0
    for number, cause in enumerate(CAUSES):
        patterns = find_patterns(draw_sweep(np.random.default_rng(number), cause)).found
        named = {condition.setting for pattern in patterns for condition in pattern.conditions}
        right = named == cause[1]
        found += right
        paths = "; ".join(" and ".join(one.text for one in pattern.conditions) for pattern in patterns)
        print(f"{'named ' if right else 'MISSED'} {cause[0]} by {', '.join(sorted(cause[1]))}: {paths or 'nothing'}")
    silent = 0
    for number in range(SILENT):
        patterns = find_patterns(draw_sweep(np.random.default_rng(1000 + number), None)).found
        silent += not patterns
        for one in patterns:
            print(f"FALSE  {one.link} {one.code}: {' and '.join(each.text for each in one.conditions)}")
    taken = (time.process_time() - began) / (len(CAUSES) + SILENT)
    print(f"causes named: {found} of {len(CAUSES)} (at least {CAUSES_FOUND}), with no other setting beside them")
    print(f"sweeps without a cause left alone: {silent} of {SILENT}; {taken:.2f} s of CPU a sweep of {RUNS} runs")
    return found >= CAUSES_FOUND and silent == SILENT


ONE_PASS = """
import json, resource, sys, time
from weaklink.verbs.diagnose import DiagnoseOptions, diagnose
from weaklink.verbs.fleet.crew import FleetCrew
began, spent = time.perf_counter(), time.process_time()
crew = FleetCrew(workers=int(sys.argv[2]), out=sys.argv[3])
done = diagnose(DiagnoseOptions(paths=(sys.argv[1],), crew=crew))
taken, own = time.perf_counter() - began, time.process_time() - spent
beside = resource.getrusage(resource.RUSAGE_CHILDREN)
most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
print(json.dumps([taken, own + beside.ru_utime + beside.ru_stime, most, len(done.summaries)]))
"""


def make_logs(root: Path, runs: int, scalars: int) -> None:
    """Event files of one content, each with a configuration of its own."""
    draw, first = np.random.default_rng(0), root / "template"
    write_events(first, scalars)
    content = first.read_bytes()
    first.unlink()
    for number in range(runs):
        folder = root / f"run_{number:04d}"
        folder.mkdir()
        log = folder / EVENTS
        log.write_bytes(content)
        os.utime(log, (time.time() - 86_400,) * 2)  # runs that ended: what still grows is kept to be read on
        (folder / "config.json").write_text(json.dumps({**draw_settings(draw), "seed": number % 5}))


def judge(root: Path, workers: int, out: str = "") -> tuple[float, float, float]:
    """Seconds by the clock and of the processors, and the most memory of the parent, in a process of its own."""
    command = [sys.executable, "-c", ONE_PASS, str(root), str(workers), out]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    taken, spent, most, judged = json.loads(done.stdout)
    assert judged == len(os.listdir(root))
    return taken, spent, most


def try_growth(scalars: int) -> bool:
    """Judges runs of twenty times the scalars that grow by a fiftieth, with and without what was kept of them."""
    with tempfile.TemporaryDirectory() as place:
        root, out = Path(place) / "runs", Path(place) / "fleet"
        root.mkdir()
        make_logs(root, GROWING, 20 * scalars)
        logs = sorted(root.rglob(EVENTS))
        content = logs[0].read_bytes()
        for log in logs:
            log.write_bytes(content[: -len(content) // 50])
        first = judge(root, 1, str(out))
        for log in logs:
            log.write_bytes(content)
        grown = judge(root, 1, str(out))
        kept = sum(each.stat().st_size for each in (out / "growing").iterdir())
        whole = judge(root, 1, str(Path(place) / "fresh"))
    faster = whole[1] / grown[1]
    print(f"{GROWING} runs of {20 * scalars:,} scalars, {len(content) / 1e6:.0f} MB each, which grow by a fiftieth")
    print(f"first {first[1]:.2f} s of CPU, read on {grown[1]:.2f} s, read from their start {whole[1]:.2f} s")
    print(f"read on: {faster:.1f} times faster (at least {LEAST_TAIL:g}); {kept / GROWING / 1e6:.1f} MB kept a run")
    return faster >= LEAST_TAIL


def try_speed(runs: int, scalars: int) -> bool:
    """Judges a fleet by one process, by two, and a second time."""
    with tempfile.TemporaryDirectory() as place:
        root, out = Path(place) / "runs", str(Path(place) / "fleet")
        root.mkdir()
        make_logs(root, runs, scalars)
        load = os.getloadavg()[0]
        one, two = judge(root, 1), judge(root, 2)
        first, again = judge(root, 1, out), judge(root, 1, out)
    gain = 2 * one[1] / two[1]
    faster = first[1] / again[1]
    print(f"{runs} runs of {scalars:,} scalars; {os.cpu_count()} cores, load {load:.1f} before it began")
    for name, (taken, spent, most) in (("one process", one), ("two", two), ("one, kept", first), ("again", again)):
        print(f"{name:12} {taken:8.2f} s by the clock {spent:8.2f} s of CPU {most / 1e6:6.0f} MB in the parent")
    print(f"two processes on two free cores: {gain:.2f} times one (at least {LEAST_GAIN})")
    print(f"the second time: {faster:.0f} times faster by CPU (at least {LEAST_AGAIN:g})")
    return gain >= LEAST_GAIN and faster >= LEAST_AGAIN and max(most for *_, most in (one, two, first)) < MOST_MEMORY


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--speed", action="store_true", help="what judging many runs costs")
    parser.add_argument("--growth", action="store_true", help="what judging runs that grew costs")
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--scalars", type=int, default=50_000)
    asked = parser.parse_args()
    if asked.growth:
        sys.exit(not try_growth(asked.scalars))
    sys.exit(not (try_speed(asked.runs, asked.scalars) if asked.speed else try_patterns()))


if __name__ == "__main__":
    main()
