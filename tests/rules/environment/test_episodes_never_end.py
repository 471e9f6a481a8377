from __future__ import annotations

import numpy as np

from tests.curves import noisy, ramp, run_of
from weaklink.collect import readers
from weaklink.judge.diagnosis.engine import diagnose


def sick():
    return [
        run_of({"task.episodes": [0.0], "policy.loss": noisy(0, 1)}),
        run_of({"task.episode_length": np.full(100, np.nan), "policy.loss": noisy(0, 1)}),
        run_of({"task.episode_length": ramp(2000, 100_000)}),
    ]


def healthy():
    return [
        run_of({"task.episodes": noisy(10, 1), "task.episode_length": noisy(200, 5)}),
        # nothing ended yet in the first rows
        run_of({"task.episode_length": np.r_[np.full(5, np.nan), noisy(200, 5, points=95)]}),
        # a training that has only begun
        run_of({"task.episodes": [0.0], "policy.loss": [0.1]}),
        run_of({"task.episode_length": noisy(27_000, 100, points=50)}),
    ]


def test_monitors_without_a_row_show_it(tmp_path):
    (tmp_path / "0.monitor.csv").write_text('#{"t_start": 1.0, "env_id": "Grid-v0"}\nr,l,t\n')
    rows = "".join(f"{1000 * row},0.1,{row}\n" for row in range(1, 30))
    (tmp_path / "progress.csv").write_text("time/total_timesteps,train/value_loss,train/n_updates\n" + rows)
    first = diagnose(readers.read(tmp_path)).first_break
    assert first is not None
    assert first.code == "ENV301"
