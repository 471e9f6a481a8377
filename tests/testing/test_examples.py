from __future__ import annotations

import os
import subprocess
import sys

import pytest

from tests.testing.suites import ROOT, outcomes

RUNGS = "ConstantReward and not Continuous or TwoActions and not Continuous or QValues and not Continuous"


@pytest.mark.whole
def test_the_ladder_of_the_hand_written_ppo():
    pytest.importorskip("torch")
    pytest.importorskip("gymnasium")
    example = ROOT / "examples" / "test_ladder_ppo.py"
    done = subprocess.run(
        [sys.executable, "-m", "pytest", str(example), "-p", "no:cacheprovider", "-p", "no:xdist", "-k", RUNGS],
        cwd=ROOT,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    found = outcomes(done)
    found.pop("deselected")
    assert found == {"passed": 2, "skipped": 1}, done.stdout
