"""Files as strangers might make them, by the million: `make fuzz`, or

    python -m tests.fuzz [--inputs 1000000] [--seconds 3600] [--workers 2] [--seed 0] [--targets csv parquet] [--guided]

Every input is a real file that was spoilt. It must be read, or refused with an error that says what is wrong, within
5 seconds of processor time and 1 GB of memory. What is not so is written to tests/fuzz/regressions, which `make test`
tries again from then on. Where the last call ended is kept in build/fuzz.json, and the next one goes on from there;
`--restart` begins anew. `--guided` has atheris (pip install atheris) choose inputs by the lines that they reach, in one
process; the inputs that reached new ones are kept in build/fuzz-corpus.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
STATE, CORPUS = ROOT / "build" / "fuzz.json", ROOT / "build" / "fuzz-corpus"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--inputs", type=int, default=1_000_000)
    parser.add_argument("--seconds", type=float, default=3600.0)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--targets", nargs="*", default=[])
    parser.add_argument("--restart", action="store_true")
    parser.add_argument("--guided", action="store_true")
    given = parser.parse_args()
    if given.guided:
        from tests.fuzz.guided import explore

        return explore(given.targets, given.inputs, given.seconds, CORPUS)
    from tests.fuzz.checking import REGRESSIONS
    from tests.fuzz.targets import TARGETS
    from tests.fuzz.working import count_targets, fuzz

    names = tuple(given.targets or TARGETS)
    state = {} if given.restart or not STATE.exists() else json.loads(STATE.read_text())
    place = f"{given.seed} {' '.join(names)}"
    first = int(state.get(place, 0))
    result = fuzz(given.seed, first, given.inputs, given.seconds, names, given.workers, REGRESSIONS)
    STATE.parent.mkdir(exist_ok=True)
    STATE.write_text(json.dumps({**state, place: first + result.tried}))
    kinds = "".join(f"  {len(found):6,} x {kind} ({found[0]})\n" for kind, found in result.failures.items())
    rate = result.tried / max(result.worked, 1e-9)
    taken = f"{result.seconds:,.0f} s, {rate:,.0f} a second of processor time"
    print(f"{result.tried:,} inputs from number {first:,} on in {taken}")
    print(f"{len(result.failures)} kinds of failures by target {dict(count_targets(result))}\n{kinds}", end="")
    return 1 if result.failures else 0


if __name__ == "__main__":
    sys.exit(main())
