"""A process that is killed loses what waited for the next writing at most, and what it wrote can be read."""

from __future__ import annotations

import os

import pytest

from tests.monitor.killing import kill_once
from weaklink.collect.monitor import recorder
from weaklink.collect.monitor.recorder import Recorder

TIMES = int(os.environ.get("WEAKLINK_KILLS", "10"))


@pytest.mark.parametrize("seed", range(TIMES))
def test_a_kill_loses_little(tmp_path, seed):
    killed = kill_once(tmp_path / "run", seed, longest=3.0)
    assert killed.gapless
    assert recorder.EVERY <= 1.0
    assert killed.seconds_lost < 2.0
    assert sum(killed.damaged.values()) <= 1, "no line but the one that was being written"
    after = Recorder(tmp_path / "run")
    after.write(killed.rows, {"told": 0.0})
    after.close()
    assert after.folder == tmp_path / "run"
