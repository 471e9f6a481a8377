"""Detection of faults that are planted one at a time in hand-written trainers, and silence on the unplanted ones.

    python bench/probe_faults.py [--workers 2] [--results FILE] [--trainers ppo dqn ...] [--faults E01 ...] [--right N]

Each fault is one climb of the ladder, as the command does it, up to the first broken rung. Results are appended to a
file of JSON lines as they come, and what is in it already is not run again. `--right N` climbs the whole ladder with
each unplanted trainer N times instead, with other seeds each time. `--report` only counts.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import sys
import time
from collections import Counter
from pathlib import Path

from weaklink import probe
from weaklink.base.finding import Level

sys.path.insert(0, str(Path(__file__).parent))
RESULTS = Path("build/probe_faults.jsonl")


def jobs(given: argparse.Namespace) -> list[tuple[str, str, int]]:
    """Trainer, fault and first seed of every climb."""
    from trainers.faults import FAULTS

    if given.right:
        return [(name, "", 1000 * turn) for turn in range(given.right) for name in given.trainers]
    return [
        (name, fault.id, 0)
        for fault in FAULTS
        for name in fault.trainers
        if name in given.trainers and (not given.faults or fault.id in given.faults)
    ]


def climb(job: tuple[str, str, int]) -> dict:
    """One climb, up to the first broken rung."""
    from trainers import Planted

    name, fault, seed = job
    began = time.process_time()
    probed = probe(Planted(name, fault), first_seed=seed, everything=not fault)
    alarms = [finding for finding in probed.diagnosis.findings if finding.severity >= Level.WARN]
    first = alarms[0] if alarms else None
    return {
        "trainer": name,
        "fault": fault,
        "seed": seed,
        "detected": first is not None,
        "code": first.code if first else "",
        "link": first.link.value if first and first.link else "",
        "message": first.message if first else "",
        "confidence": first.confidence if first else None,
        "alarms": [finding.code for finding in alarms],
        "undecided": [rung.problem for rung in probed.outcome.rungs if rung.verdict == "undecided"],
        "rungs": len(probed.outcome.rungs),
        "seconds": round(time.process_time() - began, 1),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--results", type=Path, default=RESULTS)
    parser.add_argument("--trainers", nargs="*", default=["ppo", "ppo_continuous", "recurrent_ppo", "dqn", "sac"])
    parser.add_argument("--faults", nargs="*", default=())
    parser.add_argument("--right", type=int, default=0)
    parser.add_argument("--report", action="store_true")
    given = parser.parse_args()
    done = read(given.results)
    if not given.report:
        known = {(row["trainer"], row["fault"], row["seed"]) for row in done}
        run([job for job in jobs(given) if job not in known], given)
        done = read(given.results)
    report(done)


def read(results: Path) -> list[dict]:
    return [json.loads(line) for line in results.read_text().splitlines()] if results.is_file() else []


def run(wanted: list[tuple[str, str, int]], given: argparse.Namespace) -> None:
    given.results.parent.mkdir(parents=True, exist_ok=True)
    with multiprocessing.get_context("spawn").Pool(given.workers, maxtasksperchild=8) as pool:
        for row in pool.imap_unordered(climb, wanted):
            with given.results.open("a") as file:
                file.write(json.dumps(row) + "\n")
            print(
                row["trainer"], row["fault"] or "-", row["code"] or "nothing", row["link"], row["seconds"], flush=True
            )


def report(rows: list[dict]) -> None:
    """The counts: found, and with the right component first; those called invisible apart."""
    from trainers.faults import FAULTS

    table = {(name, fault.id): fault for fault in FAULTS for name in fault.trainers}
    planted = [(table[row["trainer"], row["fault"]], row) for row in rows if row["fault"]]
    for title, chosen in (
        ("all faults", planted),
        (
            "without those that nothing outside can show",
            [(fault, row) for fault, row in planted if not fault.invisible],
        ),
    ):
        found = [(fault, row) for fault, row in chosen if row["detected"]]
        named = sum(row["link"] == fault.component for fault, row in found)
        fair = sum(row["link"] in (fault.component, *fault.also) for fault, row in found)
        if chosen:
            print(
                f"{title}: {len(found)} of {len(chosen)} found ({len(found) / len(chosen):.1%}); of all, the component "
                f"named first: {named / len(chosen):.1%} strictly, {fair / len(chosen):.1%} with its other names"
            )
    right = [row for row in rows if not row["fault"]]
    if right:
        print(f"unplanted: {sum(row['detected'] for row in right)} of {len(right)} climbs with an alarm")
    missed = Counter(f"{row['trainer']} {fault.id}" for fault, row in planted if not row["detected"])
    print("missed:", ", ".join(missed) or "-")
    for fault, row in planted:
        if row["detected"] and row["link"] not in (fault.component, *fault.also):
            where = f"{row['trainer']} {fault.id} ({fault.change})"
            print(f"  {where}: blames {row['link']}, is {fault.component}: {row['message']}")


if __name__ == "__main__":
    main()
