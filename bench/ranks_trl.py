"""Ranks that disagree in a GRPO training by TRL: planted and named, with silence on the healthy one.

python bench/ranks_trl.py [--only NAME ...]

Each case is bench/ranked/grpo.py, a script of TRL as people write it, started by torchrun with two ranks on the CPU
and watched by `weaklink run`, which knows nothing of it. Exits with 1 where a case is told wrong.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

import weaklink

SCRIPT = Path(__file__).parent / "ranked" / "grpo.py"
PATIENCE = 600.0
# what is planted, and the code that must come first among those of ranks
CASES = {"": "", "not reduced": "OPT401", "same data": "DAT401", "same random stream": "EXP401"}


def run_case(plant: str, folder: Path, steps: int = 8) -> list[str]:
    """Trains, and gives what was said of the ranks.

    Raises:
        RuntimeError: the training failed.
    """
    launch = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc_per_node", "2"]
    words = [*launch, "-m", "weaklink", "run", str(SCRIPT), "--steps", str(steps), "--plant", plant]
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, timeout=PATIENCE, check=False)
    found = [each.parent for each in folder.rglob("weaklink.jsonl") if not each.parent.name.startswith("rank-")]
    if not found:
        raise RuntimeError(f"{plant or 'healthy'} left no recording: {done.stderr[-2000:]}")
    diagnosis = weaklink.diagnose(found[0])
    assert len(list(folder.rglob("rank-1/weaklink.jsonl"))) == 1
    return [f"{one.code}: {one.message}" for one in diagnosis.findings if one.code[3:4] == "4"]


def main() -> int:
    """Runs the cases and prints one line each."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="*", default=list(CASES), choices=list(CASES), help="plants to run")
    chosen, wrong = parser.parse_args().only, 0
    for plant in chosen:
        with tempfile.TemporaryDirectory() as place:
            said = run_case(plant, Path(place))
        expected = CASES[plant]
        right = said[0].startswith(expected) if said and expected else not said and not expected
        wrong += not right
        print(f"{'right' if right else 'WRONG'}  {plant or 'healthy'}: {said[0] if said else 'nothing'}", flush=True)
    print(f"{len(chosen) - wrong} of {len(chosen)} right")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
