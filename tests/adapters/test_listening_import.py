"""What listens to Gymnasium can be loaded while Gymnasium is, by whatever of ours asked for it."""

from __future__ import annotations

import subprocess
import sys

import pytest

HALF = """
import sys, types
sys.modules["weaklink.adapters.gymnasium.tape"] = types.ModuleType("half loaded")
import weaklink.adapters.gymnasium.{module}
"""


@pytest.mark.parametrize("module", ["listening", "taped"])
def test_the_tape_need_not_be_whole(module):
    pytest.importorskip("gymnasium")
    done = subprocess.run(
        [sys.executable, "-c", HALF.format(module=module)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
