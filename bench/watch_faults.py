"""How watching does on faults planted in trainers, within the first three updates, and on trainers that are whole.

    python bench/watch_faults.py [--frameworks sb3 loop torchrl] [--trainers ...] [--faults ...] [--seeds N] [--right N]
                                 [--json FILE]

Every fault of bench/watched is planted in each of its trainers, which then makes three updates under a monitor. It is
found when anything is told at warn or above (an alert, or what the diagnosis says of the settings), and named when that
has the code and the words that it should have. With `--right N` the same trainers run without a fault, N seeds each,
and every alert is a false one. Faults of which nothing can be said from inside the loop are not run but counted as
unseen, with the reason. Exits with 1 where one is missed or a whole trainer is accused.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import sys
import tempfile
import time
import warnings
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

FRAMEWORKS = {"sb3": "sb3_contrib", "loop": "torch", "torchrl": "torchrl"}
FOUND, NAMED, MISSED, UNSEEN = "found", "named", "missed", "unseen"
SETTINGS = "diagnosis of the settings"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--frameworks", nargs="*", default=list(FRAMEWORKS), choices=list(FRAMEWORKS))
    parser.add_argument("--trainers", nargs="*", default=[], help="only these")
    parser.add_argument("--faults", nargs="*", default=[], help="only these, by their name or its beginning")
    parser.add_argument("--seeds", type=int, default=1, help="of each fault")
    parser.add_argument(
        "--right", type=int, default=0, help="seeds of each trainer without a fault, in place of faults"
    )
    parser.add_argument("--json", type=Path, help="every training with its alerts, one object a line")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    rows = [row for name in options.frameworks for row in rows_of(name, options)]
    if options.json:
        options.json.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    report(rows)
    return int(any(row["outcome"] in (MISSED, "false alarm") for row in rows))


def rows_of(framework: str, options: argparse.Namespace):
    if find_spec(FRAMEWORKS[framework]) is None:
        print(f"{framework} is left out: {FRAMEWORKS[framework]} is not installed.", file=sys.stderr)
        return
    module = import_module(f"bench.watched.{framework}")
    for fault, trainer, seed in planned(module, options):
        row = {"framework": framework, "trainer": trainer, "fault": fault.name if fault else "", "seed": seed}
        if fault and fault.unseen:
            yield row | {"outcome": UNSEEN, "why": fault.unseen, "alerts": [], "seconds": 0.0}
            continue
        began = time.perf_counter()
        alerts = watched(module, trainer, fault.name if fault else "", seed)
        row |= {"outcome": outcome(fault, alerts), "alerts": alerts, "seconds": time.perf_counter() - began}
        shown = "; ".join(f"{each['code']} {each['message'][:90]}" for each in alerts)
        print(
            f"{row['outcome']:11s} {row['fault']:15s} {trainer:14s} {seed} {row['seconds']:4.1f} s  {shown}", flush=True
        )
        yield row


def planned(module, options: argparse.Namespace):
    def wanted(trainer: str) -> bool:
        return not options.trainers or trainer in options.trainers

    if options.right:
        for trainer in filter(wanted, module.TRAINERS):
            yield from ((None, trainer, seed) for seed in range(options.right))
        return
    for fault in module.FAULTS:
        if not options.faults or any(
            fault.name == name or fault.name.startswith(f"{name}/") for name in options.faults
        ):
            for trainer in filter(wanted, fault.trainers):
                yield from ((fault, trainer, seed) for seed in range(options.seeds))


def watched(module, trainer: str, fault: str, seed: int) -> list[dict]:
    """The alerts of one training."""
    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stderr(Told()) as told:
        monitor = module.train(trainer, fault, Path(folder) / "run", seed)
    if told.lines:
        print("    " + "".join(told.lines).strip())
    return [
        {
            "code": each.code,
            "link": str(each.link.value),
            "level": each.severity.name.lower(),
            "message": each.message,
            "by": by,
        }
        for by, findings in (("alert", monitor.alerts), (SETTINGS, of_settings(monitor)))
        for each in findings
    ]


def of_settings(monitor) -> list:
    """What is said of the settings; the monitor judges these twice a second, which is late for so short a run."""
    from weaklink.base.evidence.config import Config
    from weaklink.base.finding import Level
    from weaklink.judge.rules._registry import find_rule

    known = {each.code for each in monitor.alerts}
    return [
        each
        for each in monitor.diagnosis().findings
        if each.severity >= Level.WARN and find_rule(each.code).on is Config and each.code not in known
    ]


class Told:
    """What a monitor says of its own troubles, which must not pass unseen."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def write(self, text: str) -> int:
        if "not watched" in text or "could not be asked" in text:
            self.lines.append(text)
        return len(text)

    def flush(self) -> None:
        pass


def outcome(fault, alerts: list[dict]) -> str:
    if fault is None:
        return "false alarm" if alerts else "quiet"
    named = any(each["code"] in fault.codes and fault.words in each["message"] for each in alerts)
    return NAMED if named else FOUND if alerts else MISSED


def report(rows: list[dict]) -> None:
    count = {name: sum(row["outcome"] == name for row in rows) for name in (NAMED, FOUND, MISSED, UNSEEN)}
    planted = [row for row in rows if row["fault"] and row["outcome"] != UNSEEN]
    whole = [row for row in rows if not row["fault"]]
    seconds = sum(row["seconds"] for row in rows)
    if planted:
        print(f"\nfound {count[NAMED] + count[FOUND]} of {len(planted)}, named {count[NAMED]} of {len(planted)}")
        late = [row for row in planted if row["alerts"] and all(each["by"] == SETTINGS for each in row["alerts"])]
        print(f"of these {len(late)} by the diagnosis of the settings alone, which came too late for an alert")
        for row in planted:
            if row["outcome"] in (FOUND, MISSED):
                told = "; ".join(f"{each['code']} {each['message']}" for each in row["alerts"])
                print(f"  {row['outcome']}: {row['fault']} in {row['trainer']}, seed {row['seed']} {told}")
        print(f"unseen {count[UNSEEN]}")
        reasons = {(row["fault"], row.get("why", "")): None for row in rows if row["outcome"] == UNSEEN}
        for name, why in reasons:
            print(f"  {name}: {why}")
    if whole:
        accused = [row for row in whole if row["alerts"]]
        print(f"\nfalse alarms {len(accused)} of {len(whole)}")
    print(f"{seconds:.0f} s, {seconds / max(len(planted) + len(whole), 1):.1f} s each")


if __name__ == "__main__":
    sys.exit(main())
