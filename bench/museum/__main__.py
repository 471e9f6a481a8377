"""Real public bugs, rebuilt: whether `weaklink run` finds each, blames the right link first and names the cause.

    python bench/museum [EXHIBIT ...] [--seeds N] [--jobs N] [--sick-only] [--json FILE]

Every exhibit is a whole trainer as people write them, with the bug as it was described in public, and its healthy twin
behind `--healthy`. A bug counts as found where anything at warn or above is reported, as blamed where the first break
is the right link, and as named where a finding has the words of its cause. A twin counts as quiet where nothing at warn
or above is reported. Exits with 1 where one is not as expected.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent
LIMIT = 600.0
LOUD = ("warn", "error")


@dataclass(frozen=True)
class Exhibit:
    """One bug: its script, the links that are to blame, and words of its cause; no links where it does no harm."""

    name: str
    script: str
    source: str
    links: tuple[str, ...] = ()
    cause: str = ""
    options: tuple[str, ...] = ()


EXHIBITS = (
    Exhibit(
        "time limit", "cleanrl_time_limit", "CleanRL 448", ("returns",), r"truncation treated as termination|time limit"
    ),
    Exhibit(
        "next-step reset", "cleanrl_next_step_reset", "CleanRL 475, 499", ("data", "environment"), r"only resets"
    ),
    Exhibit("lambda mask", "cleanrl_pqn", "CleanRL 494", ("returns",), r"next episode|across an episode's end"),
    Exhibit("stale returns", "cleanrl_stale_returns", "CleanRL 337", ("returns",), r"old value|own value"),
    Exhibit("dones written twice", "roboverse_dones", "RoboVerse 814", ("returns",), r"done mask shifted by one"),
    Exhibit(
        "last next state", "minimalrl_next_state", "minimalRL 7", ("returns",), r"last observation"
    ),
    Exhibit("A3C bootstrap", "minimalrl_a3c", "minimalRL 8", ("returns",), r"discounted once"),
    Exhibit(
        "reward leak", "ppo_pytorch_leak", "PPO-PyTorch 8", ("returns",), r"done ignored|next episode", ("--stage", "1")
    ),
    Exhibit(
        "reward leak, first repair", "ppo_pytorch_leak", "PPO-PyTorch 8", ("returns",), r"shifted by one|next episode",
        ("--stage", "2"),
    ),
    Exhibit(
        "old policy not copied", "ppo_pytorch_old_policy", "PPO-PyTorch 10", ("policy", "data"),
        r"another network|not match the policy|before the first gradient step|ratio",
    ),
    Exhibit("ratio always 1", "tensorforce_ratio", "Tensorforce 312", ("policy",), r"ratio"),
    Exhibit("last value", "sb3_last_value", "Stable-Baselines3 185", ("returns",), r"bootstrap from s instead of s'"),
    Exhibit("entropy past the end", "sb3_sac_entropy", "Stable-Baselines3 76", ("returns",), r"entropy bonus"),
    Exhibit(
        "reset in the replay", "cleanrl_replay_reset", "CleanRL 460", ("returns", "data"), r"next episode|reset"
    ),
    Exhibit(
        "log-probability not summed", "tianshou_log_prob", "Tianshou 40", ("value", "policy", "returns"),
        r"not summed|\(128, 3\)|each dimension",
    ),
    Exhibit("harmless broadcast", "cleanrl_sac_broadcast", "CleanRL 383"),
)  # fmt: skip


@dataclass
class Shown:
    """What `weaklink run` said of one run."""

    exhibit: Exhibit
    healthy: bool
    seed: int
    verdict: str
    first: tuple[str, str]
    findings: tuple[tuple[str, str, str], ...]

    @property
    def harmful(self) -> bool:
        return bool(self.exhibit.links) and not self.healthy

    @property
    def found(self) -> bool:
        return bool(self.findings)

    @property
    def blamed(self) -> bool:
        return self.found and self.first[0] in self.exhibit.links

    @property
    def named(self) -> bool:
        return any(re.search(self.exhibit.cause, message) for *_, message in self.findings)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("exhibits", nargs="*", metavar="EXHIBIT", help="parts of names; all if left out")
    parser.add_argument("--seeds", type=int, default=3, help="seeds of each healthy twin (3); a bug is run with one")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--sick-only", action="store_true", help="leave the healthy twins out")
    parser.add_argument("--json", type=Path, help="where every finding is written")
    options = parser.parse_args()
    chosen = [each for each in EXHIBITS if _is_chosen(each, options.exhibits)]
    runs = [(each, False, 1) for each in chosen]
    if not options.sick_only:
        runs += [(each, True, seed) for each in chosen for seed in range(1, options.seeds + 1)]
    with ThreadPoolExecutor(options.jobs) as pool:
        shown = []
        for one in pool.map(lambda run: show(*run), runs):
            shown.append(one)
            print(_describe(one), flush=True)
    if options.json:
        options.json.write_text(json.dumps([{**vars(one), "exhibit": one.exhibit.name} for one in shown], indent=1))
    return _count(shown)


def _is_chosen(exhibit: Exhibit, wanted: list[str]) -> bool:
    return not wanted or any(each in f"{exhibit.name} {exhibit.script} {exhibit.source}" for each in wanted)


def show(exhibit: Exhibit, healthy: bool, seed: int) -> Shown:
    """Runs one exhibit under `weaklink run`, as a stranger would, and reads the diagnosis."""
    script = [str(FOLDER / f"{exhibit.script}.py"), *exhibit.options, "--seed", str(seed)]
    script += ["--healthy"] if healthy else []
    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder, "diagnosis.json")
        command = [sys.executable, "-m", "weaklink", "run", "--budget", "1", "--out", f"{folder}/runs"]
        command += ["--format", "json", "--output", str(output), *script]
        ended = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT, cwd=folder)
        if ended.returncode or not output.exists():
            raise SystemExit(f"{exhibit.name} failed:\n{ended.stderr}")
        told: dict[str, Any] = json.loads(output.read_text())
    first = told.get("first_break") or {}
    findings = tuple((f["code"], f["link"], f["message"]) for f in told["findings"] if f["level"] in LOUD)
    return Shown(exhibit, healthy, seed, told["verdict"], (first.get("link", ""), first.get("code", "")), findings)


def _describe(one: Shown) -> str:
    head = f"{one.exhibit.name} ({one.exhibit.source}){', healthy' if one.healthy else ''}, seed {one.seed}: "
    told = "".join(f"\n    {code} {link}: {message}" for code, link, message in one.findings)
    if not one.harmful:
        return head + ("ACCUSED" if one.found else "quiet") + told
    marks = [name for name in ("found", "blamed", "named") if getattr(one, name)]
    return head + (", ".join(marks) or "MISSED") + told


def _count(shown: list[Shown]) -> int:
    harmful = [one for one in shown if one.harmful]
    quiet = [one for one in shown if not one.harmful]
    for name in ("found", "blamed", "named"):
        print(f"{name}: {sum(getattr(one, name) for one in harmful)} of {len(harmful)}")
    accused = [one for one in quiet if one.found]
    print(f"quiet: {len(quiet) - len(accused)} of {len(quiet)}")
    return int(bool(accused) or not all(one.found and one.blamed and one.named for one in harmful))


if __name__ == "__main__":
    sys.exit(main())
