"""How `weaklink preflight` does on planted faults and on healthy environments.

    python bench/preflight_faults.py [--faults] [--hostile] [--healthy] [--only TEXT] [--jobs N] [--seconds N]

Every fault of tests/quality/worlds is planted in each of its real environments and surveyed by the command line, as a
user would; so is every environment that crashes, hangs or worse. It counts as found when the right code comes at the
level it should have; another finding of level warn or above is told apart from none at all. Every environment of
tests/quality/worlds/healthy.json is surveyed too, and any finding of level warn or above that is neither expected there
nor a consequence of one that is counts as a false alarm. Exits with 1 where fewer than 95 % are found or there is a
false alarm. What cannot be made here is left out and said.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cache
from math import sqrt
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from tests.quality.worlds.faults import HERE, pairs, spelled  # noqa: E402
from tests.quality.worlds.hostile import EXPECTED as ILL_WILL  # noqa: E402
from tests.quality.worlds.planted import Fault  # noqa: E402

ENOUGH = 0.95
LEVELS = ("info", "warn", "error")
HOSTILE = "hostile"
HEALTHY = ROOT / "tests" / "quality" / "worlds" / "healthy.json"
FOUND, OTHER, MISSED, FAILED, LEFT_OUT = "found", "other code", "missed", "failed", "left out"
QUIET, ALARM = "quiet", "false alarm"


@dataclass
class Case:
    """One survey to make, and what became of it."""

    name: str
    base: str
    target: str
    options: list[str] = field(default_factory=list)
    config: dict[str, Any] = field(default_factory=dict)
    fault: Fault | None = None
    expected: dict[str, str] = field(default_factory=dict)
    outcome: str = ""
    findings: list[dict[str, Any]] = field(default_factory=list)
    first: str = ""
    notes: list[str] = field(default_factory=list)
    remark: str = ""
    seconds: float = 0.0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--faults", action="store_true", help="planted faults only")
    parser.add_argument("--healthy", action="store_true", help="healthy environments only")
    parser.add_argument("--hostile", action="store_true", help="environments that crash, hang and worse only")
    parser.add_argument("--only", action="append", default=[], help="cases whose name, base or code holds this text")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=20.0, help="the time that each survey is given")
    parser.add_argument("--markdown", action="store_true", help="tables in Markdown")
    parser.add_argument("--output", type=Path, help="every case with its findings, one JSON object a line")
    options = parser.parse_args()
    groups = {"faults": planted, "hostile": hostile, "healthy": healthy}
    asked = [name for name in groups if getattr(options, name)] or list(groups)
    cases = [case for name in asked for case in groups[name]()]
    cases = [case for case in cases if not options.only or any(text in described(case) for text in options.only)]
    with ThreadPoolExecutor(options.jobs) as pool:
        for number, case in enumerate(pool.map(lambda case: judged(case, options.seconds), cases), 1):
            tell(f"{number}/{len(cases)} {case.outcome:12s} {case.name} {case.base} {brief(case)}")
            if options.output:
                keep(case, options.output)
    good = [show_faults(cases, options.markdown), show_healthy(cases, options.markdown)]
    return 0 if all(good) else 1


def planted() -> list[Case]:
    cases = []
    for fault, base in pairs():
        given = fault.given_with(base)
        words = {
            name: f"{HERE}.automata:{given[name]}" if name in ("automaton", "policy") else str(given[name])
            for name in ("automaton", "policy", "metric", "shaping")
            if name in given
        }
        flags = [word for name, value in words.items() for word in (f"--{name}", value)]
        cases.append(Case(fault.id, base, spelled(fault.id, base), flags, given.get("config", {}), fault))
    return cases


def hostile() -> list[Case]:
    cases = []
    for name, codes in ILL_WILL.items():
        fault = Fault(name, tuple(codes.split()), "hostile", lambda env: env, {HOSTILE: {}})
        cases.append(Case(name, HOSTILE, f"{HERE}.hostile:{name}", fault=fault))
    return cases


def healthy() -> list[Case]:
    expected = json.loads(HEALTHY.read_text(encoding="utf-8"))
    return [Case("healthy", name, name, expected=codes) for name, codes in expected.items()]


def described(case: Case) -> str:
    return " ".join((case.name, case.base, *(case.fault.codes if case.fault else ()), spelled(case.name, case.base)))


def judged(case: Case, seconds: float) -> Case:
    judge(case, seconds)
    if case.outcome not in (FOUND, QUIET) and not makeable(case.base):
        case.outcome = LEFT_OUT
    return case


def judge(case: Case, seconds: float) -> None:
    began = time.perf_counter()
    diagnosis = surveyed(case, seconds)
    case.seconds = time.perf_counter() - began
    if "findings" not in diagnosis:
        case.outcome, case.remark = FAILED, str(diagnosis.get("error"))
        return
    case.findings, case.notes = diagnosis["findings"], diagnosis.get("notes", [])
    case.first = (diagnosis.get("first_break") or {}).get("code", "")
    case.outcome = met(case) if case.fault else QUIET if not alarms(case) else ALARM


def surveyed(case: Case, seconds: float) -> dict[str, Any]:
    """What the command line says, in a folder of its own: environments leave files behind."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "weaklink", "preflight", case.target, "--all", "--format", "json"]
        command += ["--seconds", str(seconds), *case.options]
        if case.config:
            path = Path(folder) / "config.json"
            path.write_text(json.dumps(case.config), encoding="utf-8")
            command += ["--config", str(path)]
        places = os.pathsep.join((str(ROOT / "src"), str(ROOT)))
        surroundings = {**os.environ, "PYTHONPATH": places, "OMP_NUM_THREADS": "1"}
        try:
            done = subprocess.run(
                command,
                cwd=folder,
                env=surroundings,
                capture_output=True,
                text=True,
                timeout=4 * seconds + 60,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return {"error": "the survey itself did not come to an end"}
    lines = done.stdout.strip().splitlines()
    try:
        answer: dict[str, Any] = json.loads(lines[-1])
    except (IndexError, ValueError):
        return {"error": f"exit {done.returncode}: {done.stderr.strip()[-300:]}"}
    return answer


@cache
def makeable(base: str) -> bool:
    """Whether the environment without the fault can be made here; in a new process, as packages quarrel."""
    code = f"from {HERE}.bases import make_base; make_base({base!r}).reset(seed=0)"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, check=False)
    return base == HOSTILE or done.returncode == 0


def met(case: Case) -> str:
    fault = case.fault
    assert fault is not None
    least = LEVELS.index(fault.level)
    right = [f for f in case.findings if f["code"] in fault.codes and LEVELS.index(f["level"]) >= least]
    if right or not fault.codes:
        return FOUND
    return OTHER if any(f["level"] != "info" for f in case.findings) else MISSED


def alarms(case: Case) -> list[dict[str, Any]]:
    """Findings of level warn or above that nobody expected here."""
    expected = set(case.expected)
    return [
        finding
        for finding in case.findings
        if finding["level"] != "info"
        and finding["code"] not in expected
        and finding.get("consequence_of") not in expected
    ]


def brief(case: Case) -> str:
    loud = " ".join(f"{f['level'][0]}:{f['code']}" for f in case.findings if f["level"] != "info")
    return f"[{loud}] {case.remark}"[:200]


def show_faults(cases: list[Case], markdown: bool) -> bool:
    groups: dict[str, list[Case]] = defaultdict(list)
    for case in cases:
        if case.fault and case.outcome != LEFT_OUT:
            groups[case.name].append(case)
    if not groups:
        return True
    rows = []
    for name, group in groups.items():
        fault = group[0].fault
        assert fault is not None
        count = {outcome: sum(case.outcome == outcome for case in group) for outcome in (FOUND, OTHER, MISSED, FAILED)}
        wrong = "; ".join(f"{case.base} {brief(case)}" for case in group if case.outcome != FOUND)
        rows.append((name, " ".join(fault.codes), f"{count[FOUND]}/{len(group)}", *list(count.values())[1:], wrong))
    table(("fault", "expected", FOUND, OTHER, MISSED, FAILED, "not found in"), rows, markdown)
    judged_cases = [case for group in groups.values() for case in group]
    codes: dict[str, list[bool]] = defaultdict(list)
    for case in judged_cases:
        assert case.fault is not None
        codes[(*case.fault.codes, "any")[0]].append(case.outcome == FOUND)
    table(("code", FOUND), [(code, f"{sum(met)}/{len(met)}") for code, met in sorted(codes.items())], markdown)
    found = sum(case.outcome == FOUND for case in judged_cases)
    blamed = sum(case.fault is not None and case.first in (case.fault.codes or [case.first]) for case in judged_cases)
    total("planted faults found under the right code", found, len(judged_cases))
    total("of these pairs, the right code is the first break", blamed, len(judged_cases))
    total("faults found in every base", sum(all(c.outcome == FOUND for c in g) for g in groups.values()), len(groups))
    left_out(cases, planted=True)
    return found >= ENOUGH * len(judged_cases)


def show_healthy(cases: list[Case], markdown: bool) -> bool:
    group = [case for case in cases if not case.fault and case.outcome != LEFT_OUT]
    if not group:
        return True
    loud = [case for case in group if case.outcome != QUIET]
    rows = [
        (case.base, f["code"], f["level"], f["message"]) for case in loud for f in alarms(case)
    ] + [(case.base, "-", FAILED, case.remark) for case in loud if case.outcome == FAILED]  # fmt: skip
    table(("healthy environment", "code", "level", "what was said"), rows, markdown)
    unused = [
        (case.base, code, reason)
        for case in group
        if not {f["code"] for f in case.findings if f["level"] != "info"} & set(case.expected)
        for code, reason in case.expected.items()
    ]
    if unused:
        table(("healthy environment", "expected, not said", "reason"), unused, markdown)
    total("healthy environments without a false alarm", len(group) - len(loud), len(group))
    left_out(cases, planted=False)
    return not loud


def table(heads: tuple[str, ...], rows: list[tuple[Any, ...]], markdown: bool) -> None:
    print()
    if markdown:
        print("| " + " | ".join(heads) + " |\n|" + "---|" * len(heads))
        for row in rows:
            print("| " + " | ".join(str(cell).replace("|", "/") for cell in row) + " |")
        return
    widths = [max(len(str(row[n])) for row in (heads, *rows)) for n in range(len(heads) - 1)]
    for row in (heads, *rows):
        print("  ".join([*(f"{cell!s:{width}s}" for cell, width in zip(row[:-1], widths, strict=True)), str(row[-1])]))


def total(what: str, good: int, count: int) -> None:
    low, high = wilson(good, count)
    print(f"\n{what}: {good} of {count}, {good / count:.1%} ({low:.1%} to {high:.1%})")


def left_out(cases: list[Case], planted: bool) -> None:
    names = sorted({case.base for case in cases if case.outcome == LEFT_OUT and bool(case.fault) is planted})
    if names:
        print(f"\nleft out, cannot be made here: {', '.join(names)}")


def wilson(good: int, count: int, z: float = 1.96) -> tuple[float, float]:
    share, square = good / count, z * z / count
    middle = (share + square / 2) / (1 + square)
    half = z * sqrt(share * (1 - share) / count + square / (4 * count)) / (1 + square)
    return middle - half, middle + half


def keep(case: Case, path: Path) -> None:
    kept = {
        name: getattr(case, name)
        for name in ("name", "base", "outcome", "first", "remark", "seconds", "notes", "findings")
    }
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(kept) + "\n")


def tell(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
