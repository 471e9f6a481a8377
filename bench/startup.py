"""What starting costs: `weaklink --help` and the diagnosis of a 25-row log, against importing what they stand on.

Each number is CPU time of a whole process, the least of several runs in turn, so that a busy machine matters little.
"""

from __future__ import annotations

import os
import random
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

ROUNDS = 15
MOST = 1.3
"""Times the CPU time of the imports below each command."""
HELP_IMPORTS = "import typer, rich"
DIAGNOSIS_IMPORTS = "import numpy, typer, rich"
COLUMNS = (
    "time/total_timesteps,rollout/ep_rew_mean,rollout/ep_len_mean,train/approx_kl,train/clip_fraction,"
    "train/entropy_loss,train/explained_variance,train/loss,train/value_loss,train/learning_rate,time/fps"
)


def cpu_seconds(command: list[str]) -> float:
    """The CPU time, user and system, that a command took."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False, env=environment)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def least_seconds(commands: dict[str, list[str]]) -> dict[str, float]:
    """The least CPU time of each command, of rounds in which each has its turn."""
    rounds = [{name: cpu_seconds(command) for name, command in commands.items()} for _ in range(ROUNDS)]
    return {name: min(spent[name] for spent in rounds) for name in commands}  # the first compiles what is not yet


def small_log(folder: Path, rows: int = 25) -> Path:
    """A progress.csv of a short and healthy PPO run."""
    draw = random.Random(0)
    lines = [COLUMNS]
    for row in range(1, rows + 1):
        reward = 20 + 15 * row + draw.gauss(0, 5)
        lines.append(
            f"{2048 * row},{reward:.3f},{reward:.3f},{draw.uniform(0.005, 0.012):.5f},{draw.uniform(0.05, 0.15):.4f},"
            f"{-0.69 + 0.01 * row:.4f},{min(0.03 * row, 0.9):.4f},{draw.uniform(5, 9):.3f},{draw.uniform(10, 20):.3f},"
            f"0.0003,{draw.uniform(900, 1100):.0f}"
        )
    file = folder / "progress.csv"
    file.write_text("\n".join(lines) + "\n")
    return file


def main() -> None:
    python = sys.executable
    script = Path(python).with_name("weaklink")
    weaklink = [str(script)] if script.is_file() else [python, "-m", "weaklink"]
    with tempfile.TemporaryDirectory() as folder:
        log = str(small_log(Path(folder)))
        spent = least_seconds(
            {
                HELP_IMPORTS: [python, "-c", HELP_IMPORTS],
                DIAGNOSIS_IMPORTS: [python, "-c", DIAGNOSIS_IMPORTS],
                "--help": [*weaklink, "--help"],
                **{kind: [*weaklink, "diagnose", log, "-f", kind] for kind in ("terminal", "json", "markdown")},
            }
        )
    for name, seconds in spent.items():
        floor = spent[HELP_IMPORTS if name == "--help" else DIAGNOSIS_IMPORTS]
        told = "" if name.startswith("import") else f"   ratio {seconds / floor:.2f} (at most {MOST})"
        print(f"{name:26} {seconds:6.3f} s of CPU{told}")


if __name__ == "__main__":
    main()
