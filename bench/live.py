"""What the live page takes: from a finding on disk to the browser, with one browser and with many.

    python bench/live.py [--browsers 20] [--findings 20]

Two recordings grow by five rows a second each while `weaklink watch --serve` follows them. Now and then one of them
is told a finding, as a monitor inside of the loop would write it. Each browser is a connection to the stream of
events; the slowest counts.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import threading
import time
from pathlib import Path

import msgspec

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.growing import STEPS, curves, proof
from tests.served import Ear, is_alert, served, shows

from weaklink.base.evidence.rollout import Rollout
from weaklink.base.evidence.store import Recording
from weaklink.base.finding import encode_finding
from weaklink.judge.rules._registry import load_rules_on

EVERY = 0.2
BEFORE = 200


class Growing:
    """A recording that grows until it is stopped."""

    def __init__(self, folder: Path, rows: int) -> None:
        self._recording = Recording(folder, context={"framework": "sb3"})
        self._rows = curves(rows)
        self._lock = threading.Lock()
        self._stop = threading.Event()
        for index, row in enumerate(self._rows[:BEFORE], 1):
            self._recording.write(STEPS * index, row)
        self._thread = threading.Thread(target=self._grow, daemon=True)
        self._thread.start()

    def _grow(self) -> None:
        for index, row in enumerate(self._rows[BEFORE:], BEFORE + 1):
            with self._lock:
                self._recording.write(STEPS * index, row)
            if self._stop.wait(EVERY):
                return

    def tell(self, code: str) -> float:
        """Writes a finding, and gives the moment at which it was on disk."""
        finding = msgspec.structs.replace(proof(), code=code, link=load_rules_on(Rollout)[code].link)
        with self._lock:
            self._recording.add("finding", encode_finding(finding))
            return time.time()

    def stop(self) -> None:
        self._stop.set()
        self._thread.join()
        self._recording.close()


def worked(process: int) -> float:
    """The seconds of a core that a process has used."""
    fields = Path(f"/proc/{process}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def resident(process: int) -> float:
    """The memory of a process in MB."""
    return int(Path(f"/proc/{process}/statm").read_text(encoding="ascii").split()[1]) * os.sysconf("SC_PAGESIZE") / 1e6


def measure(browsers: int, findings: int) -> None:
    with tempfile.TemporaryDirectory() as name, served(name) as watch:
        growing = [Growing(Path(name) / each, BEFORE + int(findings * 3 / EVERY) + 100) for each in ("first", "second")]
        ears = [Ear(watch) for _ in range(browsers)]
        while len(watch.document()["pages"]) < len(growing):
            time.sleep(0.1)
        process = watch.process.pid
        began, used, memory = time.monotonic(), worked(process), resident(process)
        alerts, pages = [], []
        for number, code in enumerate(list(load_rules_on(Rollout))[:findings]):
            written = growing[number % 2].tell(code)
            alerts.append(max(ear.wait_for(is_alert(code))["at"] for ear in ears) - written)
            pages.append(max(ear.wait_for(shows(code))["at"] for ear in ears) - written)
            time.sleep(1.0)
        share = (worked(process) - used) / (time.monotonic() - began)
        grown = resident(process)
        ended = time.monotonic()
        watch.interrupted()
        took = time.monotonic() - ended
        for ear in ears:
            ear.close()
        for one in growing:
            one.stop()
    print(f"{browsers} browsers, {findings} findings")
    for what, seconds in (("alert", alerts), ("page", pages)):
        print(f"  {what:6} median {sorted(seconds)[len(seconds) // 2]:.2f} s, slowest {max(seconds):.2f} s")
    print(f"  server {100 * share:.1f} % of a core, {memory:.0f} MB at first, {grown:.0f} MB at the end")
    print(f"  Ctrl-C ends it after {took:.2f} s")


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--browsers", type=int, default=20)
    options.add_argument("--findings", type=int, default=20)
    given = options.parse_args()
    print(f"load of the machine: {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    for browsers in sorted({1, given.browsers}):
        measure(browsers, given.findings)


if __name__ == "__main__":
    main()
