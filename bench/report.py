"""What a report costs: 200 metrics over 100,000 rows read, judged, drawn and written, and opened in a browser.

Wall time and CPU time are both printed, the least of several rounds, because a busy machine makes the first long.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

ROWS, METRICS = 100_000, 200
MOST_SECONDS, MOST_TO_OPEN, MOST_BYTES = 3.0, 2.0, 1_000_000
KNOWN = ("rollout/ep_rew_mean", "train/approx_kl", "train/entropy_loss")
DRAWN = "document.querySelectorAll('canvas').length > 0"


def written(folder: Path, rows: int, metrics: int) -> Path:
    """A progress.csv of plain numbers in six digits."""
    rng = np.random.default_rng(0)
    names = ("time/total_timesteps", *KNOWN, *(f"custom/m{place}" for place in range(metrics - len(KNOWN))))
    file = folder / "progress.csv"
    with file.open("w") as log:
        log.write(",".join(names) + "\n")
        for start in range(0, rows, 1000):
            block = rng.normal(size=(min(1000, rows - start), metrics))
            steps = 2048 * np.arange(start + 1, start + 1 + len(block))
            np.savetxt(log, np.column_stack((steps, block)), fmt=["%d", *["%.6g"] * metrics], delimiter=",")
    return file


def made(log: Path, page: Path) -> tuple[float, float]:
    """The seconds that making a report takes: by the clock, and of the processor."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    command = [sys.executable, "-m", "weaklink", "report", str(log), "-o", str(page)]
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(command, check=True, env=environment, stderr=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.perf_counter() - began, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def opened(page: Path, rounds: int) -> float | None:
    """The least seconds from asking for the page until curves are drawn; None without playwright or a browser."""
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        return None
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=os.environ.get("CHROMIUM", "/usr/bin/chromium"))
        seconds = []
        for _ in range(rounds):
            tab = browser.new_page()
            began = time.perf_counter()
            tab.goto(page.as_uri())
            tab.wait_for_function(DRAWN)
            seconds.append(time.perf_counter() - began)
            tab.close()
        browser.close()
    return min(seconds)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--rows", type=int, default=ROWS)
    parser.add_argument("--metrics", type=int, default=METRICS)
    parser.add_argument("--log", type=Path, help="a log that is there already")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        log = asked.log or written(Path(folder), asked.rows, asked.metrics)
        page = Path(folder) / "report.html"
        rounds = [made(log, page) for _ in range(asked.rounds)]
        wall, processor = min(one[0] for one in rounds), min(one[1] for one in rounds)
        size, to_open = page.stat().st_size, opened(page, asked.rounds)
    load = os.getloadavg()[0]
    print(f"made      {wall:6.2f} s by the clock, {processor:.2f} s of CPU (at most {MOST_SECONDS:g} s by the clock)")
    print(f"size      {size / 1e6:6.2f} MB (at most {MOST_BYTES / 1e6:g} MB)")
    print("opened    not tried: playwright is not installed" if to_open is None else
          f"opened    {to_open:6.2f} s (at most {MOST_TO_OPEN:g} s)")  # fmt: skip
    print(f"load      {load:6.2f} on {os.cpu_count()} cores")
    late = wall > MOST_SECONDS or (to_open or 0.0) > MOST_TO_OPEN
    sys.exit(1 if late or size > MOST_BYTES else 0)


if __name__ == "__main__":
    main()
