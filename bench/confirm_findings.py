"""How `weaklink confirm` does on ten true findings: each is to be confirmed, and refuted in the project's healthy twin.

    python bench/confirm_findings.py [CODE ...] [--seeds 5] [--seconds 300]

A project of examples/projects has the finding; its twin is the same file with the fault taken out. Both are asked by
the same command, with the same seeds and the same steps. Exits with 1 where an answer is another one than it should be.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

PROJECTS = Path(__file__).parents[1] / "examples" / "projects"


class TrueFinding(NamedTuple):
    """A finding of a project, what is wrong in its text and what would be right, and the steps that show it."""

    project: str
    code: str
    wrong: str
    right: str
    steps: int = 0


FINDINGS = (
    TrueFinding("greenhouse", "ENV103", "        self.hour = 0\n", "        self.hour = 0\n        self.fuel = TANK\n"),
    TrueFinding("docking", "ENV107", "reward, terminated, False, {}", "reward, False, terminated, {}"),
    TrueFinding("telescope", "ACT104", "FASTEST = 100, 20.0, 3.0", "FASTEST = 100, 1.0, 3.0"),
    TrueFinding("sailing", "OBS104", "self.velocity / speed", "self.velocity / max(speed, 1e-6)"),
    TrueFinding("conveyor", "OBS107", "return self.belt,", "return self.belt.copy(),"),
    TrueFinding("rover", "ACT102", "wheels[0], wheels[0]", "wheels[0], wheels[1]"),
    TrueFinding("parking", "REW109", "reward = abs(self.place)", "reward = -abs(self.place)"),
    TrueFinding("acrobot_ppo", "POL303", "learning_rate=0.1", "learning_rate=3e-4", steps=4096),
    TrueFinding("cartpole_entropy", "EXP101", "ent_coef=-0.5", "ent_coef=0.01", steps=8192),
    TrueFinding(
        "ppo_by_hand", "PRB106", "tensor(reward), ", "tensor(reward) + agent.gamma * tensor(truncated) * values[1], "
    ),
)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("codes", nargs="*", metavar="CODE", help="of these findings alone")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=300.0, help="for each experiment")
    options = parser.parse_args()
    chosen = [one for one in FINDINGS if not options.codes or one.code in options.codes]
    right = []
    with tempfile.TemporaryDirectory() as folder:
        for finding in chosen:
            for wanted, twin in (("confirmed", False), ("refuted", True)):
                file = write_project(finding, Path(folder) / ("healthy" if twin else "broken"), healthy=twin)
                began = time.monotonic()
                verdict, says = confirm(finding, file, options.seeds, options.seconds)
                right.append(verdict == wanted)
                mark = "right" if right[-1] else "WRONG"
                took = f"{time.monotonic() - began:4.0f} s"
                print(finding.code, f"{finding.project:18}", f"{file.parent.name:8}", f"{verdict:10}", took, mark, says)
    print(f"\n{sum(right[::2])} of {len(chosen)} confirmed, {sum(right[1::2])} of {len(chosen)} twins refuted")
    return 0 if all(right) else 1


def write_project(finding: TrueFinding, folder: Path, *, healthy: bool) -> Path:
    """The project in a folder, as it is or with its fault taken out."""
    text = (PROJECTS / f"{finding.project}.py").read_text(encoding="utf-8")
    if finding.wrong not in text:
        raise SystemExit(f"{finding.project} no longer has {finding.wrong!r}.")
    folder.mkdir(exist_ok=True)
    file = folder / f"{finding.project}.py"
    file.write_text(text.replace(finding.wrong, finding.right) if healthy else text, encoding="utf-8")
    return file


def confirm(finding: TrueFinding, file: Path, seeds: int, seconds: float) -> tuple[str, str]:
    """The verdict of the command, and its sentence."""
    command = [sys.executable, "-m", "weaklink", "confirm", finding.code, str(file), "--format", "json"]
    command += ["--seeds", str(seeds), "--seconds", str(seconds)]
    command += ["--steps", str(finding.steps)] if finding.steps else []
    done = subprocess.run(command, capture_output=True, text=True, cwd=file.parent, check=False)
    if done.returncode not in (0, 1) or not done.stdout:
        return "failed", done.stderr.strip()[-300:]
    told = json.loads(done.stdout)
    return told["verdict"], told["says"]


if __name__ == "__main__":
    sys.exit(main())
