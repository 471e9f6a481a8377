"""A sealed set, run once: environments and samples whose author saw the README and no rule.

    python bench/sealed_sets.py FOLDER [--kind environments|samples] [--jobs 2] [--seconds 20]

FOLDER has `environments.py` (factories `healthy_*` and `broken_*`) with `environments.json` (the link at fault, and
others that an honest diagnosis may name), and `make_samples.py` that writes `samples/*.jsonl` with `samples.json`
(words of which the main finding must hold one). The hash is printed first, as it stands in docs/quality.md.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

from corpus import wilson

WRITTEN = ("environments.py", "environments.json", "make_samples.py", "samples.json")
ALARMS = ("warn", "error")


class SealedCase(NamedTuple):
    """One case: what is run, and what an honest answer says; nothing where it is healthy."""

    name: str
    command: tuple[str, ...]
    links: tuple[str, ...] = ()
    also: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    healthy: bool = True


class CaseAnswer(NamedTuple):
    """What became of a case. `right` and `plausible` are of broken ones."""

    case: SealedCase
    verdict: str
    alarmed: bool
    right: bool = False
    plausible: bool = False
    said: str = ""


def compute_hash(folder: Path) -> str:
    """The hash of what the author wrote; samples that a script makes anew are not among it."""
    parts = [hashlib.sha256((folder / name).read_bytes()).hexdigest() for name in WRITTEN]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def list_environments(folder: Path, seconds: float) -> Iterator[SealedCase]:
    """A preflight of every factory."""
    file = folder / "environments.py"
    faults = {one["name"]: one for one in json.loads((folder / "environments.json").read_text())}
    for name in re.findall(r"^def ((?:healthy|broken)_\w+)\(", file.read_text(), re.MULTILINE):
        command = ("preflight", f"{file}:{name}", "--seconds", str(seconds))
        fault = faults.get(name)
        if fault is None:
            yield SealedCase(name, command)
        else:
            yield SealedCase(name, command, (fault["link"],), tuple(fault["also"]), healthy=False)


def list_samples(folder: Path) -> Iterator[SealedCase]:
    """An audit of every file of samples."""
    if not (folder / "samples").is_dir():
        subprocess.run([sys.executable, "make_samples.py"], cwd=folder, check=True)
    faults = {Path(one["name"]).name: one for one in json.loads((folder / "samples.json").read_text())}
    for file in sorted((folder / "samples").glob("*.jsonl")):
        fault = faults.get(file.name)
        words = () if fault is None else tuple(fault["acceptable"])
        yield SealedCase(file.stem, ("audit", str(file)), words=words, healthy=fault is None)


def run_case(case: SealedCase) -> CaseAnswer:
    """Runs the command as a user would and reads its JSON."""
    done = subprocess.run(
        [sys.executable, "-m", "weaklink", *case.command, "--format", "json", "--fail-on", "never"],
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )
    if done.returncode != 0:
        return CaseAnswer(case, f"exit {done.returncode}", alarmed=False, said=done.stderr.strip()[-200:])
    return judge_answer(case, json.loads(done.stdout.splitlines()[0]))


def judge_answer(case: SealedCase, answer: dict[str, Any]) -> CaseAnswer:
    """Whether the first break is the one that was planted."""
    alarms = [one for one in answer["findings"] if one["level"] in ALARMS]
    code = (answer["first_break"] or {}).get("code")
    first = next((one for one in alarms if one["code"] == code), alarms[0] if alarms else None)
    if first is None:
        return CaseAnswer(case, answer["verdict"], alarmed=False)
    text = f"{first['name']} {first['message']}".lower()
    right = first["link"] in case.links or any(word in text for word in case.words)
    said = f"{first['code']} {first['name']} ({first['link']}): {first['message']}"
    return CaseAnswer(case, answer["verdict"], True, right, right or first["link"] in case.also, said)


def report(title: str, answers: list[CaseAnswer]) -> None:
    """The count, with its interval, and every case that was missed, misnamed or accused."""
    broken = [one for one in answers if not one.case.healthy]
    healthy = [one for one in answers if one.case.healthy]
    counts: dict[str, tuple[list[CaseAnswer], Callable[[CaseAnswer], bool]]] = {
        "broken: an alarm": (broken, lambda one: one.alarmed),
        "broken: the right first break": (broken, lambda one: one.right),
        "broken: right or plausible": (broken, lambda one: one.plausible),
        "broken: not called healthy": (broken, lambda one: one.verdict != "healthy"),
        "healthy: no alarm": (healthy, lambda one: not one.alarmed),
        "healthy: called healthy": (healthy, lambda one: one.verdict == "healthy"),
    }
    print(f"\n{title}")
    for name, (among, holds) in counts.items():
        count = sum(map(holds, among))
        low, high = wilson(count, len(among))
        print(f"  {name:32} {count:3} of {len(among):3}  {count / max(len(among), 1):6.1%}  ({low:.1%} to {high:.1%})")
    for one in answers:
        if one.alarmed if one.case.healthy else not one.right:
            print(f"  {one.case.name}: {one.verdict}; {one.said or 'nothing said'}"[:230])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--kind", choices=("environments", "samples"), action="append")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=20.0)
    options = parser.parse_args()
    folder = options.folder.resolve()
    print(f"set {folder.name}, sha256 {compute_hash(folder)}")
    listed = {
        "environments": lambda: list_environments(folder, options.seconds),
        "samples": lambda: list_samples(folder),
    }
    for kind in options.kind or tuple(listed):
        with ThreadPoolExecutor(options.jobs) as pool:
            report(kind, list(pool.map(run_case, listed[kind]())))


if __name__ == "__main__":
    main()
