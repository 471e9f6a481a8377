from __future__ import annotations

from dataclasses import replace

import numpy as np

from tests.curves import noisy, rising, run_of
from weaklink.base.evidence.series import Provenance
from weaklink.base.finding import Level
from weaklink.judge.rules._registry import find_rule

LENGTH = np.full(100, 200.0)


def of(stored, config=None, **counts):
    curves = {
        "data.terminal_fraction": stored,
        "reward.episode_return": rising(-1500, -150),
        "task.episode_length": LENGTH,
    }
    return run_of({**curves, **counts}, config)


def counted(ended):
    return {"task.terminations": ended, "task.truncations": np.tile([0.0, 1.0], 50)}


def sick():
    share = np.abs(noisy(0.005, 0.001))
    return [of(share, {"env": "Pendulum-v1"}), of(share, **counted(np.zeros(100)))]


def healthy():
    share = np.abs(noisy(0.005, 0.001))
    return [
        of(np.zeros(100), {"env": "Pendulum-v1"}),
        of(share, **counted(np.where(np.arange(100) == 3, 1.0, 0.0))),
        # what is no end of an episode by its number
        of(np.abs(noisy(0.3, 0.01)), {"env": "Pendulum-v1"}),
    ]


def test_a_share_of_done_beside_a_rising_return_may_count_what_targets_leave_out():
    rule, share, task = find_rule("RET303"), np.abs(noisy(0.005, 0.001)), {"env": "Pendulum-v1"}
    flat = {"reward.episode_return": noisy(-1400, 20)}
    for key, given, level in (
        ("batch/terminal_frac", {}, Level.WARN),
        ("batch/done_frac", {}, Level.INFO),
        ("batch/done_frac", flat, Level.WARN),
    ):
        run = of(share, task, **given)
        run.series["data.terminal_fraction"] = replace(run["data.terminal_fraction"], provenance=Provenance(key=key))
        found = rule.ask(run)
        assert found.severity is level
        assert ("if targets go by it" in found.message) is (level is Level.INFO)
