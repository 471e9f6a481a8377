"""Ranks that disagree in a GRPO training by TRL: planted and named, with silence on the healthy one.

python bench/ranks_trl.py [--only NAME ...] [--ranks 4]

Each case is bench/ranked/grpo.py, a script of TRL as people write it, started by torchrun with several ranks on the CPU
and watched by `weaklink run`, which knows nothing of it. Exits with 1 where a case is told wrong.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

import weaklink

SCRIPT = Path(__file__).parent / "ranked" / "grpo.py"
PATIENCE = 600.0


class Case(NamedTuple):
    """The code that must come first among those of ranks, none for healthy ones, and how the script trains."""

    expected: str = ""
    steps: int = 8
    rounds: int = 1
    plant: str | None = None


CASES = {
    "": Case(),
    "accumulated": Case(rounds=2, plant=""),
    "longer": Case(steps=24, plant=""),
    "not reduced": Case("OPT401"),
    "no_sync left on": Case("OPT401"),
    "clipped on one rank": Case("OPT401"),
    "loaded after wrapping": Case("OPT402"),
    "learning rate": Case("OPT402"),
    "weight decay": Case("OPT402"),
    "optimizer state": Case("OPT403"),
    "same data": Case("DAT401"),
    "same random stream": Case("EXP401"),
    "reward scaled": Case("REW401", steps=24),
}
"""By what is planted; those with a name of their own and nothing planted train in another way."""


def run_case(name: str, folder: Path, ranks: int) -> list[str]:
    """Trains, and gives what was said of the ranks.

    Raises:
        RuntimeError: the training failed.
    """
    launch = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc_per_node", str(ranks)]
    case = CASES[name]
    told = ["--steps", str(case.steps), "--rounds", str(case.rounds)]
    told += ["--plant", name if case.plant is None else case.plant]
    words = [*launch, "-m", "weaklink", "run", str(SCRIPT), *told]
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, timeout=PATIENCE, check=False)
    found = [each.parent for each in folder.rglob("weaklink.jsonl") if not each.parent.name.startswith("rank-")]
    if not found:
        raise RuntimeError(f"{name or 'healthy'} left no recording: {done.stderr[-2000:]}")
    diagnosis = weaklink.diagnose(found[0])
    assert len(list(folder.rglob("rank-*/weaklink.jsonl"))) == ranks - 1
    return [f"{one.code}: {one.message}" for one in diagnosis.findings if one.code[3:4] == "4"]


def main() -> int:
    """Runs the cases and prints one line each."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="*", default=list(CASES), choices=list(CASES), help="plants to run")
    parser.add_argument("--ranks", type=int, default=2, help="processes of the training")
    options = parser.parse_args()
    chosen, wrong = options.only, 0
    for name in chosen:
        with tempfile.TemporaryDirectory() as place:
            said = run_case(name, Path(place), options.ranks)
        expected = CASES[name].expected
        right = said[0].startswith(expected) if said and expected else not said and not expected
        wrong += not right
        print(f"{'right' if right else 'WRONG'}  {name or 'healthy'}: {said[0] if said else 'nothing'}", flush=True)
    print(f"{len(chosen) - wrong} of {len(chosen)} right")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
