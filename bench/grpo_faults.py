"""Detection of faults that are planted one at a time in a hand-written GRPO, and silence on right trainers.

    python bench/grpo_faults.py [--seeds 3] [--faults NAME ...] [--right N] [--trl] [--results FILE]

Each fault is one climb of the ladder for language models, up to the first broken rung. A fault counts as named when the
first finding is that of the rung for its component and says what is wrong with it. `--right N` climbs the whole
ladder with the unplanted loop N times instead, with other seeds each time, and `--trl` with TRL's GRPO (ten seeds
unless `--seeds` says otherwise) and RLOO.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path
from typing import Any

import torch

from weaklink.base.evidence.outcome import RIGHT
from weaklink.base.finding import Level
from weaklink.collect.probes.plan import ProbePlan
from weaklink.verbs.probe import Probed, ProbeOptions, probe

sys.path.insert(0, str(Path(__file__).parent))
from grpo.faults import FAULTS, Fault
from grpo.loop import Grpo, factory


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=0)
    parser.add_argument("--faults", nargs="*", default=())
    parser.add_argument("--right", type=int, default=0)
    parser.add_argument("--trl", action="store_true")
    parser.add_argument("--results", type=Path, default=Path("build/grpo_faults.jsonl"))
    given = parser.parse_args()
    torch.set_num_threads(1)
    torch.backends.mkldnn.enabled = False
    given.results.parent.mkdir(parents=True, exist_ok=True)
    with given.results.open("a") as file:
        if given.trl:
            for name, seeds in (("trl:GRPO", given.seeds or 10), ("trl:RLOO", given.seeds or 3)):
                climb_whole(name, name, ProbePlan(seeds=seeds, everything=True, levels=1, more_seeds=0), file)
        elif given.right:
            for turn in range(given.right):
                plan = ProbePlan(seeds=given.seeds or 3, first_seed=1000 * turn, everything=True)
                climb_whole(factory, f"by hand, {turn}", plan, file)
        else:
            plant([fault for fault in FAULTS if not given.faults or fault.name in given.faults], given.seeds or 3, file)


def plant(faults: list[Fault], seeds: int, file: Any) -> None:
    """One climb for each fault, and how many were found and named."""
    found = named = 0
    for fault in faults:
        began = time.process_time()
        probed = probe(ProbeOptions(trainer=_planted(fault.name), plan=ProbePlan(seeds=seeds), isolate=False))
        first = next(iter(probed.diagnosis.findings), None)
        right = first is not None and first.code == fault.code and fault.said in first.message
        found, named = found + (first is not None), named + right
        row = {
            "fault": fault.name,
            "component": fault.component,
            "code": first.code if first else "",
            "level": first.severity.word if first else "",
            "named": right,
            "message": first.message if first else "",
            "seconds": round(time.process_time() - began, 1),
        }
        print(
            f"{fault.name:32} {row['code'] or 'nothing':8} {row['level']:6} {'named' if right else 'NOT NAMED':10}",
            end="",
        )
        print(f"{row['seconds']:6.1f} s", flush=True)
        file.write(json.dumps(row) + "\n")
    print(f"{found} of {len(faults)} found, {named} with the right component first")


def _planted(fault: str) -> Any:
    """The loop with one fault, with the arguments by which language trainers are known."""

    def planted(model: Any, tokenizer: Any, reward: Any, prompts: list[str], settings: Any) -> Grpo:
        return Grpo(model, tokenizer, reward, prompts, settings, fault)

    planted.tools, planted.__name__ = True, fault  # type: ignore[attr-defined]
    return planted


def climb_whole(trainer: Any, name: str, plan: ProbePlan, file: Any) -> None:
    """Every rung; prints how many seeds hold on each, and every alarm."""
    began = time.process_time()
    probed: Probed = probe(ProbeOptions(trainer=trainer, plan=plan, isolate=False))
    alarms = [finding for finding in probed.diagnosis.findings if finding.severity >= Level.WARN]
    for rung in probed.outcome.rungs:
        held = sum(trial.holds is True for trial in rung.final)
        longest = max(trial.seconds for trial in rung.trials)
        print(f"{name:12} {rung.code} {rung.problem:22} {held}/{len(rung.final)}  at most {longest:.1f} s a training")
    seconds = time.process_time() - began
    held = sum(rung.verdict == RIGHT for rung in probed.outcome.rungs)
    print(f"{name}: {held} of {len(probed.outcome.rungs)} rungs hold, {len(alarms)} alarms, {seconds:.0f} CPU seconds")
    for finding in alarms:
        print("  ", finding.code, finding.message)
    file.write(json.dumps({"trainer": name, "alarms": [finding.code for finding in alarms], "held": held}) + "\n")


if __name__ == "__main__":
    main()
