"""Small logs on disk, as Stable-Baselines3 writes them, and a way to call the command line as a user does."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import numpy as np
import typer
from typer.testing import CliRunner, Result

from tests.curves import noisy, rising
from weaklink.cli import COMMANDS, make_app

ROWS = 60


def progress_csv(folder: Path, columns: Mapping[str, np.ndarray]) -> Path:
    """Writes the progress.csv of a run, a row every 2,048 steps."""
    folder.mkdir(parents=True, exist_ok=True)
    table = {"time/total_timesteps": 2048 * np.arange(1, ROWS + 1), **columns}
    rows = [",".join(table)]
    rows += [",".join(f"{values[row]:.6g}" for values in table.values()) for row in range(ROWS)]
    file = folder / "progress.csv"
    file.write_text("\n".join(rows) + "\n")
    return file


def healthy_log(folder: Path) -> Path:
    """A PPO run that learns."""
    return progress_csv(
        folder,
        {
            "rollout/ep_rew_mean": rising(20, 400, points=ROWS),
            "rollout/ep_len_mean": rising(20, 400, points=ROWS, seed=1),
            "eval/mean_reward": rising(22, 410, points=ROWS, seed=3),
            "train/approx_kl": np.abs(noisy(0.008, 0.001, points=ROWS)),
            "train/clip_fraction": np.abs(noisy(0.1, 0.02, points=ROWS)),
            "train/entropy_loss": -np.linspace(0.69, 0.45, ROWS),
            "train/explained_variance": rising(0.0, 0.9, points=ROWS, seed=2),
            "train/value_loss": np.abs(noisy(15, 2, points=ROWS)),
            "train/learning_rate": np.full(ROWS, 3e-4),
        },
    )


def sick_log(folder: Path) -> Path:
    """A PPO run whose updates are far too large: most samples are clipped and nothing is learnt."""
    return progress_csv(
        folder,
        {
            "rollout/ep_rew_mean": noisy(20, 2, points=ROWS),
            "train/clip_fraction": noisy(0.8, 0.03, points=ROWS),
            "train/approx_kl": np.abs(noisy(0.5, 0.05, points=ROWS)),
            "train/entropy_loss": -np.abs(noisy(0.6, 0.01, points=ROWS)),
            "train/explained_variance": noisy(0.3, 0.02, points=ROWS),
            "custom/thing": noisy(1.0, 0.1, points=ROWS),
        },
    )


@cache
def _find_app(names: tuple[str, ...]) -> typer.Typer:
    return make_app(names)


def invoke(*arguments: object, text: str | None = None) -> Result:
    """Runs weaklink in this process with the one command that is asked for, as its start does.

    typer reads the arguments of all commands that it has, which takes longer than most commands.
    """
    words = [os.fspath(one) if isinstance(one, os.PathLike) else str(one) for one in arguments]
    return CliRunner().invoke(
        _find_app(tuple(words[:1]) if words and words[0] in COMMANDS else COMMANDS), words, input=text
    )


def call_here(*arguments: object, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Runs weaklink in this process, where nothing of a process is asked about: it need not load everything again."""
    before = os.getcwd()
    os.chdir(cwd)
    try:
        done = invoke(*arguments)
    finally:
        os.chdir(before)
    return subprocess.CompletedProcess(arguments, done.exit_code, done.stdout, done.stderr)


def call(
    *arguments: object, cwd: Path | None = None, env: Mapping[str, str] | None = None, text: str | bytes = b""
) -> subprocess.CompletedProcess[str]:
    """Runs weaklink in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-m", "weaklink", *map(os.fspath, arguments)],
        input=text.encode() if isinstance(text, str) else text,
        capture_output=True,
        cwd=cwd,
        env={**os.environ, "PYTHONIOENCODING": "utf-8", **(env or {})},
        check=False,
    )
    return subprocess.CompletedProcess(
        done.args, done.returncode, done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace")
    )
