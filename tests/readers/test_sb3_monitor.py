"""SB3's monitors: one file an environment, merged in order of time."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from weaklink.base.evidence.series import Provenance
from weaklink.collect.readers import sb3_monitor

SAMPLES = Path(__file__).parent / "samples" / "sb3"


def series(log, key):
    return log.columns[key].build(key, Provenance(key))


def monitor(folder: Path, rows: str, name: str = "0.monitor.csv", start: float = 100.0, extra: str = "") -> Path:
    path = folder / name
    path.write_text(f'#{{"t_start": {start}, "env_id": "CartPole-v1"}}\nr,l,t{extra}\n{rows}', encoding="utf-8")
    return path


def test_two_environments_of_one_run():
    paths = sorted(SAMPLES.glob("*.monitor.csv"))
    assert all(map(sb3_monitor.handles, paths))
    log = sb3_monitor.read(paths)[0]
    returns = series(log, "monitor/return")
    lengths = series(log, "monitor/length")
    assert log.config == {"env_id": "CartPole-v1", "n_envs": 2}
    assert len(returns) == sum(len(path.read_text().splitlines()) - 2 for path in paths)
    assert np.array_equal(np.cumsum(lengths.values), lengths.steps)
    assert np.all(np.diff(returns.times) >= 0)


def test_steps_are_summed_in_order_of_time(tmp_path):
    first = monitor(tmp_path, "1,10,1.0\n2,10,3.0\n", "0.monitor.csv")
    second = monitor(tmp_path, "3,5,1.0\n4,5,2.5\n", "1.monitor.csv", start=100.5)
    log = sb3_monitor.read([second, first])[0]
    assert series(log, "monitor/return").values.tolist() == [1, 3, 2, 4]
    assert series(log, "monitor/return").steps.tolist() == [10, 15, 25, 30]


def test_a_resumed_monitor_goes_on(tmp_path):
    log = sb3_monitor.read([monitor(tmp_path, "1,10,5.0\n2,10,9.0\n3,10,1.0\n4,10,2.0\n")])[0]
    assert series(log, "monitor/return").times.tolist() == [105, 109, 110, 111]


def test_extra_columns(tmp_path):
    log = sb3_monitor.read([monitor(tmp_path, "1,10,1.0,True,a\n2,10,2.0,False,b\n", extra=",is_success,name")])[0]
    assert series(log, "monitor/is_success").values.tolist() == [1, 0]
    assert set(log.columns) == {"monitor/return", "monitor/length", "monitor/is_success"}


def test_damage_is_a_remark(tmp_path):
    log = sb3_monitor.read([monitor(tmp_path, "1,10,1.0\n2,x,2.0\n3,-4,2.0\nnan,10,3.0\n5,1")])[0]
    assert series(log, "monitor/return").values.tolist() == [1]
    assert series(log, "monitor/return").nonfinite.nan == 1
    assert log.notes == ["monitor.csv: 3 cut off or damaged rows left out"]


def test_evaluations_stand_apart(tmp_path):
    paths = [monitor(tmp_path, "1,10,1.0\n", "train.monitor.csv"), monitor(tmp_path, "9,10,1.0\n", "eval.monitor.csv")]
    log = sb3_monitor.read(paths)[0]
    assert series(log, "monitor/return").values.tolist() == [1]
    assert series(log, "eval_monitor/return").values.tolist() == [9]


def test_more_files_than_may_be_open(tmp_path):
    paths = [monitor(tmp_path, f"{index},1,{index}.0\n", f"{index}.monitor.csv") for index in range(1200)]
    log = sb3_monitor.read(paths)[0]
    assert series(log, "monitor/return").values.tolist() == list(range(1200))


def test_sniffing(tmp_path):
    assert not sb3_monitor.handles(tmp_path / "missing.monitor.csv")
    assert not sb3_monitor.handles(SAMPLES / "progress.csv")
    other = tmp_path / "heart.monitor.csv"
    other.write_text("time,pulse\n1,2\n", encoding="utf-8")
    assert not sb3_monitor.handles(other)
