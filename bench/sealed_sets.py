"""A sealed set, run once: environments, samples, trainers and logs whose authors saw the README and no rule.

    python bench/sealed_sets.py FOLDER [--kind environments|samples|trainers|logs] [--jobs 2] [--seconds 20]

A folder has one kind or several:

- `environments.py` (factories `healthy_*` and `broken_*`) with `environments.json` (the link at fault, and others that
  an honest diagnosis may name), each for `weaklink preflight`;
- `make_samples.py` that writes `samples/*.jsonl` with `samples.json` (words of which the main finding must hold one),
  each for `weaklink audit`;
- trainers with `faults.json` (trainer, fault, link, others), each fault and `--seeds` (five) without one for `weaklink
  run`; `--share` of the steps that a trainer takes by default;
- `logs/*` with `logs.json`, each for `weaklink diagnose`.

The hash is printed first, as it stands in docs/quality.md.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

from corpus import wilson
from weaklink.base.outside.lending import count_room, relay_command
from weaklink.verbs.cluster import lend_cluster

KINDS = {"environments": "environments.json", "samples": "samples.json", "trainers": "faults.json", "logs": "logs.json"}
"""The list of faults that shows that a set has this kind."""
ALARMS = ("warn", "error")
SPELLED = {"return": "returns"}
"""Links as some authors were told to write them."""
HEALTHY_SEEDS = 5


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
    files = (*folder.glob("*.py"), *folder.glob("*.json"), *(folder / "logs").rglob("*"))
    written = sorted(filter(Path.is_file, files), key=lambda file: (file.with_suffix(""), file.suffix != ".py"))
    parts = [hashlib.sha256(file.read_bytes()).hexdigest() for file in written]
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


def list_trainers(folder: Path, share: float, seeds: int) -> Iterator[SealedCase]:
    """A run of every fault, and of every trainer without one."""
    faults = json.loads((folder / "faults.json").read_text())
    for file in sorted(folder.glob("*.py")):
        name, text = file.name, file.read_text()
        whole = re.search(r"--steps[^\n]*default=([\d_]+)|\bsteps: int = ([\d_]+)", text)
        steps = str(int(share * int(whole[1] or whole[2]))) if whole else "10000"
        told = ("run", str(file), *(("--steps", steps) if whole or "--steps" in text else ()))
        for seed in range(seeds):
            yield SealedCase(f"{name} seed {seed}", (*told, "--seed", str(seed)))
        for one in (fault for fault in faults if fault["trainer"] == name):
            command = (*told, "--seed", "0", "--fault", one["fault"])
            yield SealedCase(f"{name} {one['fault']}", command, (one["link"],), tuple(one["also"]), healthy=False)


def list_logs(folder: Path) -> Iterator[SealedCase]:
    """A diagnosis of every log."""
    for one in json.loads((folder / "logs.json").read_text()):
        command = ("diagnose", str(folder / "logs" / one["name"]))
        links = () if one["healthy"] else (SPELLED.get(one["link"], one["link"]),)
        yield SealedCase(one["name"], command, links, tuple(one["also"] or ()), healthy=one["healthy"])


def run_case(case: SealedCase) -> CaseAnswer:
    """Runs the command as a user would and reads its JSON."""
    with tempfile.TemporaryDirectory() as place:
        verb, *rest = case.command
        given = [verb, "--format", "json", "--fail-on", "never", "--output", f"{place}/answer.json"]
        kept = ["--out", place] if verb == "run" else []
        words, environment = relay_command([sys.executable, "-m", "weaklink", *given, *kept, *rest], os.environ)
        done = subprocess.run(
            words,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            timeout=1800,
        )
        answer = Path(place, "answer.json")
        if not answer.exists() or not answer.stat().st_size:
            return CaseAnswer(case, f"exit {done.returncode}", alarmed=False, said=done.stderr.strip()[-200:])
        told = [json.loads(line) for line in answer.read_text().splitlines()]
        lines = [line for line in told if "first_break" in line]
        if not lines:
            return CaseAnswer(case, "not read", alarmed=False, said=str(told)[:200])
    return judge_answer(case, pick_worst(lines))


def pick_worst(answers: list[dict[str, Any]]) -> dict[str, Any]:
    """Of several recordings of one script, one that broke."""
    return next((one for one in answers if one["first_break"]), answers[0])


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
        if not among:
            continue
        count = sum(map(holds, among))
        low, high = wilson(count, len(among))
        print(f"  {name:32} {count:3} of {len(among):3}  {count / len(among):6.1%}  ({low:.1%} to {high:.1%})")
    for one in answers:
        if one.alarmed if one.case.healthy else not one.right:
            print(f"  {one.case.name}: {one.verdict}; {one.said or 'nothing said'}"[:230])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--kind", choices=tuple(KINDS), action="append")
    parser.add_argument("--jobs", type=int, default=0, help="cases side by side; 2 here, one a core of a cluster")
    parser.add_argument("--ray", default="", metavar="ADDRESS", help="have a Ray cluster run the cases, or: local")
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--share", type=float, default=1.0)
    parser.add_argument("--seeds", type=int, default=HEALTHY_SEEDS)
    options = parser.parse_args()
    folder = options.folder.resolve()
    print(f"set {folder.name}, sha256 {compute_hash(folder)}")
    listed = {
        "environments": lambda: list_environments(folder, options.seconds),
        "samples": lambda: list_samples(folder),
        "trainers": lambda: list_trainers(folder, options.share, options.seeds),
        "logs": lambda: list_logs(folder),
    }
    for kind in options.kind or [kind for kind, faults in KINDS.items() if (folder / faults).exists()]:
        with lend_cluster(options.ray), ThreadPoolExecutor(count_room(options.jobs, most=2)) as pool:
            answers = []
            for answer in pool.map(run_case, listed[kind]()):
                answers.append(answer)
                state = "healthy" if answer.case.healthy else "right" if answer.right else "wrong"
                print(f"{answer.case.name} [{state}] {answer.verdict}: {answer.said}"[:300], flush=True)
            report(kind, answers)


if __name__ == "__main__":
    main()
