"""How often a right implementation is wrongly failed: every rung of the ladder, many seeds, real algorithms.

    python bench/probe_ladder.py [--seeds 20] [--workers 2] [--json FILE] [sb3:PPO sb3:SAC ...]

Each training counts for itself: it misses when it is out of its band with the usual budget and with four times that.
The command fails a rung only when seeds agree, so it is wrong less often than the table says.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path

from weaklink.base.evidence.outcome import Outcome
from weaklink.collect.probes.plan import ProbePlan
from weaklink.verbs.probe import ProbeOptions, probe

A_BUSY_MACHINE = 3600.0
"""Seconds that a training may take: here it is what was learned that counts."""

ALGORITHMS = (
    "sb3:PPO",
    "sb3:A2C",
    "sb3:DQN",
    "sb3:SAC",
    "sb3:TD3",
    "sb3_contrib:RecurrentPPO",
    "sb3_contrib:MaskablePPO",
    "sb3_contrib:TQC",
    "sb3_contrib:QRDQN",
    "torchrl:PPO",
    "torchrl:SAC",
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("algorithms", nargs="*", default=ALGORITHMS)
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--only", nargs="*", default=())
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--actions", default="auto")
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    plan = ProbePlan(
        seeds=given.seeds,
        first_seed=given.first_seed,
        more_seeds=0,
        everything=True,
        actions=given.actions,
        workers=given.workers,
        timeout=A_BUSY_MACHINE,
        only=tuple(given.only),
    )
    print("| trainer | rungs | trainings | second budget | missed | of them seeds | seconds |")
    print("|---|---:|---:|---:|---:|---|---:|")
    rows = []
    for algorithm in given.algorithms:
        began = time.monotonic()
        outcome = probe(ProbeOptions(trainer=algorithm, plan=plan)).outcome
        rows.append(summary(algorithm, outcome, time.monotonic() - began))
        print(line(rows[-1]), flush=True)
        if given.json:
            given.json.write_text(json.dumps(rows, indent=1))


def summary(algorithm: str, outcome: Outcome, seconds: float) -> dict:
    """The counts of one algorithm, with every miss and how long each rung took."""
    final = [(rung, trial) for rung in outcome.rungs for trial in rung.final]
    missed = [(rung, trial) for rung, trial in final if trial.holds is False]
    return {
        "trainer": algorithm,
        "rungs": len(outcome.rungs),
        "trainings": len(final),
        "grown": sum(len(rung.trials) - len(rung.final) for rung in outcome.rungs),
        "missed": [
            {
                "rung": rung.problem,
                "seed": trial.seed,
                "failure": trial.failure,
                "measures": [(m.what, m.where, round(m.measured, 3), round(m.right, 3)) for m in trial.missed],
            }
            for rung, trial in missed
        ],
        "unseen": [rung.problem for rung in outcome.rungs if rung.verdict == "unseen"],
        "mean_seconds": {
            rung.problem: round(sum(trial.seconds for trial in rung.trials) / len(rung.trials), 2)
            for rung in outcome.rungs
        },
        "second_tries": {
            rung.problem: len(rung.trials) - len(rung.final)
            for rung in outcome.rungs
            if len(rung.trials) > len(rung.final)
        },
        "seconds": round(seconds, 1),
    }


def line(row: dict) -> str:
    where = ", ".join(f"{miss['rung']} {miss['seed']}" for miss in row["missed"]) or "-"
    counts = (row["rungs"], row["trainings"], row["grown"], len(row["missed"]), where, f"{row['seconds']:.0f}")
    return f"| {row['trainer']} | " + " | ".join(map(str, counts)) + " |"


if __name__ == "__main__":
    main()
