"""What starting costs: `weaklink --help` against importing typer and rich, and the diagnosis of a 25-row log.

Each number is CPU time of a whole process, the least of several runs, so that a busy machine matters little.
"""

from __future__ import annotations

import os
import random
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

ROUNDS = 9
MOST_FOR_HELP = 1.3
MOST_FOR_DIAGNOSIS = 0.3
COLUMNS = (
    "time/total_timesteps,rollout/ep_rew_mean,rollout/ep_len_mean,train/approx_kl,train/clip_fraction,"
    "train/entropy_loss,train/explained_variance,train/loss,train/value_loss,train/learning_rate,time/fps"
)


def cpu_seconds(command: list[str]) -> float:
    """The least CPU time, user and system, that a command took."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    spent = []
    for _ in range(ROUNDS):  # the first of them compiles what is not compiled yet
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False, env=environment)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        spent.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return min(spent)


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
    imports = cpu_seconds([python, "-c", "import typer, rich"])
    help_ = cpu_seconds([*weaklink, "--help"])
    print(f"import typer, rich      {imports:6.3f} s of CPU")
    print(f"weaklink --help         {help_:6.3f} s   ratio {help_ / imports:.2f} (at most {MOST_FOR_HELP})")
    floor = cpu_seconds(
        [python, "-c", "import os; os.environ['OPENBLAS_NUM_THREADS'] = '1'; import typer, numpy, msgspec"]
    )
    with tempfile.TemporaryDirectory() as folder:
        log = small_log(Path(folder))
        for kind in ("terminal", "json", "markdown"):
            spent = cpu_seconds([*weaklink, "diagnose", str(log), "-f", kind])
            print(f"25 rows, {kind:10}     {spent:6.3f} s   (at most {MOST_FOR_DIAGNOSIS})")
    print(f"of which imports        {floor:6.3f} s   (typer, numpy, msgspec alone)")


if __name__ == "__main__":
    main()
