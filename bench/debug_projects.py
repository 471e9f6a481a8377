"""How `weaklink debug` does on the projects of examples/projects, each as a stranger would run it.

    python bench/debug_projects.py [PROJECT ...] [--seconds N] [--jobs N] [--markdown] [--output FILE]

A broken project counts as right when its first break is one of those that tests/examples/expected.py names: the link,
the code and the stage. A healthy one counts as right when the verdict is healthy. Exits with 1 where one is wrong or
took longer than three minutes.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from tests.examples.expected import EXPECTED, PROJECTS, Expected  # noqa: E402

LONGEST = 180.0
PATIENCE = 900.0
RIGHT, SLOW, WRONG, FAILED = "right", "right, too slow", "WRONG", "FAILED"
COLUMNS = ("project", "stage", "link", "code", "wall s", "CPU s", "")


@dataclass
class Debugged:
    """What became of one project."""

    project: str
    expected: Expected
    outcome: str = ""
    verdict: str = ""
    stage: str = ""
    link: str = ""
    code: str = ""
    seconds: float = 0.0
    processor: float = 0.0
    remark: str = ""
    told: dict[str, Any] = field(default_factory=dict)

    @property
    def row(self) -> tuple[str, ...]:
        times = f"{self.seconds:.0f}", f"{self.processor:.0f}"
        return self.project, self.stage or "-", self.link or self.verdict, self.code or "-", *times, self.outcome


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("projects", nargs="*", metavar="PROJECT", help=f"of {', '.join(EXPECTED)}; all if left out")
    parser.add_argument("--seconds", type=float, default=0.0, help="passed on; the command's own default otherwise")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--markdown", action="store_true", help="the table in Markdown")
    parser.add_argument("--output", type=Path, help="every case with its findings, one JSON object a line")
    options = parser.parse_args()
    chosen = options.projects or list(EXPECTED)
    unknown = sorted(set(chosen) - set(EXPECTED))
    if unknown:
        parser.error(f"there is no project {', '.join(unknown)}")
    results = []
    with ThreadPoolExecutor(options.jobs) as pool:
        for result in pool.map(lambda name: debugged(name, options.seconds), chosen):
            results.append(result)
            print(f"{len(results)}/{len(chosen)} {' '.join(result.row)} {result.remark}", file=sys.stderr, flush=True)
            if options.output:
                keep(result, options.output)
    print("\n".join(table(results, options.markdown)))
    broken = [each for each in results if not each.expected.healthy]
    healthy = [each for each in results if each.expected.healthy]
    for name, several in (("broken", broken), ("healthy", healthy)):
        right = sum(each.outcome in (RIGHT, SLOW) for each in several)
        longest = max((each.seconds for each in several), default=0.0)
        print(f"\n{name}: {right} of {len(several)} right, the longest {longest:.0f} s")
    return 0 if all(each.outcome == RIGHT for each in results) else 1


def debugged(name: str, seconds: float) -> Debugged:
    """Runs the command on a project in a process of its own, with a folder of its own for the case."""
    result = Debugged(name, EXPECTED[name])
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "weaklink", "debug", str(PROJECTS / f"{name}.py"), "--format", "json"]
        command += ["--case", str(Path(folder) / name), *(["--seconds", f"{seconds:g}"] if seconds else [])]
        out, err = Path(folder) / "out", Path(folder) / "err"
        began = time.monotonic()
        with out.open("wb") as told, err.open("wb") as complained:
            process = subprocess.Popen(command, stdout=told, stderr=complained, cwd=folder)
            code, result.processor = waited(process)
        result.seconds = time.monotonic() - began
        text = out.read_text(errors="replace")
        if code not in (0, 1) or not text:
            result.outcome, result.remark = FAILED, err.read_text(errors="replace").strip()[-300:]
            return result
    result.told = json.loads(text)
    judge(result)
    return result


def waited(process: subprocess.Popen[bytes]) -> tuple[int, float]:
    """Its exit code, and the processor time of it and of all that it waited for."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        done, status, used = os.wait4(process.pid, os.WNOHANG)
        if done:
            process.returncode = os.waitstatus_to_exitcode(status)
            return process.returncode, used.ru_utime + used.ru_stime
        time.sleep(0.1)
    process.kill()
    return process.wait(), 0.0


def judge(result: Debugged) -> None:
    told, expected = result.told, result.expected
    broke = told["first_break"] or {}
    result.verdict, result.stage = told["verdict"], told["stage_of_break"] or ""
    result.link, result.code = broke.get("link", ""), broke.get("code", "")
    if expected.healthy:
        right = result.verdict == "healthy"
    else:
        right = result.link in expected.links and result.code in expected.codes and result.stage in expected.stages
    result.outcome = WRONG if not right else RIGHT if result.seconds <= LONGEST else SLOW
    if not right:
        alarms = [one["code"] for one in told["findings"] if one["level"] != "info"]
        result.remark = f"{told['why']} | {' '.join(alarms)}"


def table(results: list[Debugged], markdown: bool) -> list[str]:
    rows = [COLUMNS, *(each.row for each in results)]
    if markdown:
        lines = [f"| {' | '.join(row)} |" for row in rows]
        return [lines[0], "|---|---|---|---|---:|---:|---|", *lines[1:]]
    widths = [max(len(row[place]) for row in rows) for place in range(len(COLUMNS))]
    return ["  ".join(word.ljust(width) for word, width in zip(row, widths, strict=True)).rstrip() for row in rows]


def keep(result: Debugged, file: Path) -> None:
    kept = {"project": result.project, "outcome": result.outcome, "seconds": result.seconds, "case": result.told}
    with file.open("a", encoding="utf-8") as lines:
        lines.write(json.dumps(kept) + "\n")


if __name__ == "__main__":
    raise SystemExit(main())
