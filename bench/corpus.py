"""How the diagnosis does on labelled public logs: `python bench/corpus.py [--corpus FOLDER] [--verbose]`.

The corpus is a folder with an INDEX.jsonl of labelled logs (healthy, broken, unclear) and is not part of the project.
Every log is judged on its own. A broken log counts as found when a finding of level warn or above fits its failure; a
healthy log counts as a false alarm when it gets any finding of level warn or above. Logs that hold none of the metrics
in which the failure could be seen are told apart. With --prefixes every healthy log is judged again as it was at eleven
earlier moments, its end unknown, as a person who looks at a running job would.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import defaultdict
from dataclasses import replace
from math import sqrt
from pathlib import Path

from weaklink.base.errors import WeaklinkError
from weaklink.base.evidence.run import Run
from weaklink.base.evidence.series import Series
from weaklink.base.finding import Level
from weaklink.collect.readers import read
from weaklink.judge.diagnosis.diagnosis import Diagnosis
from weaklink.judge.diagnosis.engine import diagnose

PREFIXES = (0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
RETURN = ("reward.episode_return", "evaluation.return", "reward.mean", "evaluation.success_rate", "task.success_rate")

# failure of a label -> the rules that fit it, and the metrics of which one must be there to see it
FITS: dict[str, tuple[set[str], tuple[str, ...]]] = {
    "flat_reward": ({"REW301", "REW307", "EXP301", "EXP303", "POL302", "VAL304", "OPT302", "EVA304", "REW304"}, RETURN),
    "plateau": ({"REW301", "REW302", "VAL304", "VAL301"}, RETURN),
    "performance_collapse": ({"REW303", "REW304", "POL307"}, RETURN),
    "performance_degradation": ({"REW304", "POL307", "EXP306", "VAL304"}, RETURN),
    "entropy_collapse": ({"EXP301", "EXP302"}, ("exploration.entropy", "exploration.action_std")),
    "entropy_explosion": ({"EXP306"}, ("exploration.entropy", "exploration.action_std")),
    "value_function_failure": ({"VAL301", "VAL304", "REW307"}, ("value.explained_variance",)),
    "value_loss_divergence": ({"VAL302", "VAL304", "VAL305", "RET302"}, ("value.loss", "value.q_loss")),
    "reward_hacking": ({"REW305", "REW306", "LLM304", "LLM311"}, ("reward.mean",)),
}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--corpus", type=Path, default=Path(__file__).parents[2] / "shared" / "corpus")
    parser.add_argument("--prefixes", action="store_true", help="judge healthy logs at earlier moments too")
    parser.add_argument("--verbose", action="store_true", help="print every log, not only misses and false alarms")
    options = parser.parse_args()
    if not (options.corpus / "INDEX.jsonl").is_file():
        print(f"No corpus at {options.corpus}: give its folder with --corpus.", file=sys.stderr)
        return 2
    lines = (options.corpus / "INDEX.jsonl").read_text(encoding="utf-8").splitlines()
    entries = [json.loads(line) for line in lines]
    tally: dict[tuple[str, str], list[int]] = defaultdict(lambda: [0, 0])
    remarks: list[str] = []
    for entry in entries:
        judge(entry, options.corpus, tally, remarks, options.verbose)
        if options.prefixes and entry["label"] == "healthy" and entry["kind"] != "run_config":
            judge_prefixes(entry, options.corpus, tally, remarks)
    show(tally, remarks)
    return 0


def judge(entry: dict, corpus: Path, tally: dict, remarks: list[str], verbose: bool) -> None:
    label, repository = entry["label"], entry["source_repo"]
    try:
        run = read(corpus / entry["path"])
        diagnosis = diagnose(run)
    except WeaklinkError as error:
        remarks.append(f"NOT READ     {entry['path']}: {error}")
        return
    if entry["kind"] == "run_config":
        count(tally, "configuration files", "quiet", not alarms(diagnosis))
        return
    held = metrics_held(run)
    if label == "healthy":
        quiet = not alarms(diagnosis)
        for group in (repository, held, "all logs"):
            count(tally, group, "healthy and quiet", quiet)
        if not quiet or verbose:
            remarks.append(describe("FALSE ALARM" if not quiet else "quiet", entry, diagnosis))
    elif label == "broken":
        visible = any(metric in run for failure in entry["failure"] for metric in FITS[failure][1])
        wanted = set().union(*(FITS[failure][0] for failure in entry["failure"]))
        found = bool(alarms(diagnosis) & wanted)
        for group in (repository, held, "all logs") if visible else ("not visible in the log",):
            count(tally, group, "broken and found", found)
        if not found or verbose:
            remarks.append(describe("MISS" if not found else "found", entry, diagnosis))
    elif verbose:
        remarks.append(describe("unclear", entry, diagnosis))


def judge_prefixes(entry: dict, corpus: Path, tally: dict, remarks: list[str]) -> None:
    run = read(corpus / entry["path"])
    for share in PREFIXES:
        diagnosis = diagnose(until(run, share))
        count(tally, "healthy logs at an earlier moment", "quiet", not alarms(diagnosis))
        if alarms(diagnosis):
            remarks.append(describe(f"AT {share:.0%}", entry, diagnosis))


def until(run: Run, share: float) -> Run:
    """The run as its log was when this share of its steps had been made."""
    last = share * run.last_step
    cut = {}
    for name, series in run.series.items():
        keep = series.steps <= last
        cut[name] = Series.of(name, series.steps[keep], series.values[keep], provenance=series.provenance)
    return replace(run, series=cut)


def alarms(diagnosis: Diagnosis) -> set[str]:
    return {finding.code for finding in diagnosis.findings if finding.severity >= Level.WARN}


def metrics_held(run: Run) -> str:
    links = {name.partition(".")[0] for name in run.series if len(run.series[name])}
    trainer = links & {"policy", "value", "exploration", "optimizer", "returns"}
    return "with trainer metrics" if trainer else "return only"


def count(tally: dict, group: str, what: str, good: bool) -> None:
    tally[group, what][0] += good
    tally[group, what][1] += 1


def describe(word: str, entry: dict, diagnosis: Diagnosis) -> str:
    seen = "; ".join(f"{f.severity.word} {f.code} {f.message}" for f in diagnosis.findings if f.severity >= Level.WARN)
    label = ",".join(entry["failure"]) or entry["label"]
    title = f"{word:12s} {entry['algorithm']} {entry['environment']} [{label}] {entry['path']}"
    return f"{title}\n             {seen or 'nothing'}"


def wilson(good: int, total: int, z: float = 1.96) -> tuple[float, float]:
    share, square = good / total, z * z / total
    middle = (share + square / 2) / (1 + square)
    half = z * sqrt(share * (1 - share) / total + square / (4 * total)) / (1 + square)
    return middle - half, middle + half


def show(tally: dict, remarks: list[str]) -> None:
    print(f"{'group':48s} {'what':20s} {'count':>9s}  share  95 % interval")
    for (group, what), (good, total) in sorted(tally.items()):
        low, high = wilson(good, total)
        print(f"{group:48s} {what:20s} {good:4d}/{total:4d} {good / total:6.1%}  {low:.1%} to {high:.1%}")
    for remark in remarks:
        print(remark)


if __name__ == "__main__":
    sys.exit(main())
