"""Real processes that train together over gloo: what sets them apart is named, and healthy ones get no alarm."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib import util
from pathlib import Path

import pytest

from tests.patience import PATIENCE

NEEDED = ("gymnasium", "torch")
pytestmark = pytest.mark.skipif(not all(map(util.find_spec, NEEDED)), reason=f"needs {', '.join(NEEDED)}")

BENCH = Path(__file__).parents[2] / "bench"

CASES = """
import json, sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
import ranks
from ranks import Case
ranks.import_once()
folder, told = Path(sys.argv[2]), {}
for case in (
    Case("", "accumulate"),
    Case("clipped on one rank", "ddp", "OPT401", said="clipped or scaled on this rank alone"),
    Case("no sampler", "ddp", "DAT401", ranks=4),
):
    place = folder / (case.plant or case.style)
    printed = ranks.run_case(case, place)
    told[place.name] = [*ranks.judge_case(case, place), printed[-1].read_text().count("weaklink:")]
alone = ranks.run_case(Case("", "accumulate"), folder / "alone", watched=False)
told["weights"] = [ranks.read_weights(path) for path in (alone[0], folder / "accumulate" / "printed-0")]
print(json.dumps(told))
"""


@pytest.mark.whole
def test_ranks_that_disagree_are_named_and_healthy_ones_are_not(tmp_path):
    command = [sys.executable, "-c", CASES, str(BENCH), str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout.splitlines()[-1])
    alone, watched = told.pop("weights")
    assert alone == watched
    assert {name: right for name, (right, _, _) in told.items()} == dict.fromkeys(told, True), told
    assert [words for _, _, words in told.values()] == [0, 0, 0]  # the last rank says nothing
    folders = sorted(path.name for path in (tmp_path / "no sampler" / "out" / "loop").iterdir())
    assert folders == ["rank-1", "rank-2", "rank-3", "weaklink.jsonl"]


@pytest.mark.whole
@pytest.mark.skipif(util.find_spec("trl") is None, reason="needs trl")
def test_ranks_of_a_script_of_trl_are_compared(tmp_path):
    command = [sys.executable, str(BENCH / "ranks_trl.py"), "--only", "", "not reduced", "same random stream"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=4 * PATIENCE, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("right  ") == 3
