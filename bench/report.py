"""What a report costs: 200 metrics over 100,000 rows read, judged, drawn and written, opened in a browser and zoomed.

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
from typing import Any

import numpy as np

ROWS, METRICS = 100_000, 200
MOST_SECONDS, MOST_TO_OPEN, MOST_BYTES, MOST_A_FRAME = 3.0, 2.0, 1_000_000, 0.034
KNOWN = ("rollout/ep_rew_mean", "train/approx_kl", "train/entropy_loss")
DRAWN = "document.querySelectorAll('canvas').length > 0"
COUNTED = """() => {
    window.frames_ = [];
    let last = performance.now();
    const next = now => { window.frames_.push(now - last); last = now; requestAnimationFrame(next); };
    requestAnimationFrame(next);
}"""
ZOOMS = 5


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


def opened(page: Path, rounds: int) -> tuple[float, list[float]] | None:
    """The least seconds until curves are drawn, and those of each frame while one is zoomed; None without a browser."""
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
            frames = zoomed(tab)
            tab.close()
        browser.close()
    return min(seconds), frames


def zoomed(tab: Any) -> list[float]:
    """The seconds of each frame while the pointer goes over a chart, zooms in on a part of it and out again."""
    chart = tab.locator("canvas").first
    chart.scroll_into_view_if_needed()
    box = chart.bounding_box()
    left, right, middle = box["x"] + 0.2 * box["width"], box["x"] + 0.9 * box["width"], box["y"] + box["height"] / 2
    tab.evaluate(COUNTED)
    for _ in range(ZOOMS):
        tab.mouse.move(left, middle)
        tab.mouse.move(right, middle, steps=30)
        tab.mouse.down()
        tab.mouse.move((left + right) / 2, middle, steps=20)
        tab.mouse.up()
        tab.mouse.move(left, middle, steps=20)
        tab.mouse.dblclick(left, middle)
    return [milliseconds / 1000 for milliseconds in tab.evaluate("window.frames_")]


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
        size, seen = page.stat().st_size, opened(page, asked.rounds)
    load = os.getloadavg()[0]
    print(f"made      {wall:6.2f} s by the clock, {processor:.2f} s of CPU (at most {MOST_SECONDS:g} s by the clock)")
    print(f"size      {size / 1e6:6.2f} MB (at most {MOST_BYTES / 1e6:g} MB)")
    to_open, frame = 0.0, 0.0
    if seen is None:
        print("opened    not tried: playwright is not installed")
    else:
        to_open, frame, slow = seen[0], float(np.median(seen[1])), float(np.quantile(seen[1], 0.95))
        print(f"opened    {to_open:6.2f} s (at most {MOST_TO_OPEN:g} s)")
        print(f"a frame   {frame:6.3f} s in the middle (at most {MOST_A_FRAME:g} s), 95 % within {slow:.3f} s")
    print(f"load      {load:6.2f} on {os.cpu_count()} cores")
    late = wall > MOST_SECONDS or to_open > MOST_TO_OPEN or frame > MOST_A_FRAME
    sys.exit(1 if late or size > MOST_BYTES else 0)


if __name__ == "__main__":
    main()
