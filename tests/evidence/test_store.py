"""Recordings: written line by line, read back as they were, whole or torn."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from weaklink.base.errors import CorruptLog, ReadError, UsageError
from weaklink.base.evidence import store
from weaklink.base.evidence.config import Config
from weaklink.base.evidence.run import Run
from weaklink.base.evidence.series import Series
from weaklink.collect.readers import read, recording


def test_a_line_a_row(tmp_path):
    with store.Recording(tmp_path / "run", config={"lr": 0.1}, context={"framework": "sb3"}) as open_recording:
        open_recording.write(1, {"policy.kl": 0.01}, time=1.5)
        open_recording.write(2, {"policy.kl": math.nan, "optimizer.loss": -math.inf})
        open_recording.add("finding", {"code": "POL301"})
        lines = (tmp_path / "run" / "weaklink.jsonl").read_text().splitlines()
    header = json.loads(lines[0])
    assert header["schema"] == 1
    assert header["config"] == {"lr": 0.1}
    assert json.loads(lines[1]) == {"step": 1, "time": 1.5, "metrics": {"policy.kl": 0.01}}
    assert json.loads(lines[2])["metrics"] == {"policy.kl": "nan", "optimizer.loss": "-inf"}
    assert json.loads(lines[3]) == {"finding": {"code": "POL301"}}


def test_rows_come_back(tmp_path):
    with store.Recording(tmp_path) as open_recording:
        open_recording.write(1, {"a": 1.0}, time=0.5)
        open_recording.add("note", "hello")
        open_recording.write(2, {"a": math.inf}, time=1.0)
    rows = list(store.read_rows(tmp_path))
    assert rows == [
        {"step": 1.0, "time": 0.5, "metrics": {"a": 1.0}},
        {"step": 2.0, "time": 1.0, "metrics": {"a": math.inf}},
    ]


def test_time_is_counted_from_the_start(tmp_path, monkeypatch):
    monkeypatch.setattr(store.clock, "time", lambda: 100.0)
    open_recording = store.Recording(tmp_path)
    monkeypatch.setattr(store.clock, "time", lambda: 103.5)
    open_recording.write(1, {"a": 1.0})
    open_recording.close()
    monkeypatch.setattr(store.clock, "time", lambda: 110.0)
    with store.Recording(tmp_path) as again:
        again.write(2, {"a": 2.0})
    assert [row["time"] for row in store.read_rows(tmp_path)] == [3.5, 10.0]


def test_a_recording_is_continued_after_a_torn_line(tmp_path):
    with store.Recording(tmp_path, config={"lr": 0.1}) as open_recording:
        open_recording.write(1, {"a": 1.0})
    path = tmp_path / store.FILE
    path.write_bytes(path.read_bytes() + b'{"step": 2, "metr')
    assert [row["step"] for row in store.read_rows(tmp_path)] == [1]
    with store.Recording(tmp_path, config={"seed": 3}) as open_recording:
        open_recording.write(3, {"a": 3.0})
    assert [row["step"] for row in store.read_rows(tmp_path)] == [1, 3]
    assert store.read_header(tmp_path)["config"] == {"lr": 0.1, "seed": 3}


def test_a_recording_torn_within_its_header(tmp_path):
    (tmp_path / store.FILE).write_bytes(b'{"weaklink": "0.')
    with store.Recording(tmp_path) as open_recording:
        open_recording.write(1, {"a": 1.0})
    assert [row["step"] for row in store.read_rows(tmp_path)] == [1]
    assert store.read_header(tmp_path)["schema"] == 1


def test_a_recording_is_continued_after_headers_that_were_cut_off(tmp_path):
    (tmp_path / store.FILE).write_bytes(b'{"weak\n{"weaklink": "0.1.0", "sche')
    for step in (1, 2):
        with store.Recording(tmp_path, config={"lr": 0.1}) as open_recording:
            open_recording.write(step, {"a": 1.0})
    assert [row["step"] for row in store.read_rows(tmp_path)] == [1, 2]
    assert store.read_header(tmp_path)["config"] == {"lr": 0.1}


def test_a_line_after_one_that_was_cut_off_stands_alone(tmp_path):
    with store.Recording(tmp_path) as open_recording:
        open_recording.append(b'{"step": 1, "metr')
        open_recording.write(2, {"a": 2.0})
        open_recording.write(3, {"a": 3.0})
    assert [row["step"] for row in store.read_rows(tmp_path)] == [2, 3]


def test_whether_the_file_is_still_there(tmp_path):
    with store.Recording(tmp_path) as open_recording:
        assert open_recording.is_there
        (tmp_path / store.FILE).rename(tmp_path / "other")
        assert not open_recording.is_there
        (tmp_path / store.FILE).write_text("", encoding="utf-8")
        assert not open_recording.is_there


def test_another_file_is_not_written_into(tmp_path):
    (tmp_path / store.FILE).write_text("hello\nworld\n", encoding="utf-8")
    with pytest.raises(CorruptLog, match="another folder"):
        store.Recording(tmp_path)


def test_a_folder_that_cannot_be_made(tmp_path):
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(UsageError, match="may write"):
        store.Recording(tmp_path / "file" / "run")


def test_values_of_other_libraries(tmp_path):
    class Tensor:
        def __float__(self):
            return 2.5

    with store.Recording(tmp_path, config={"shape": (np.int64(3), 4), "set": {1}, "class": object}) as open_recording:
        open_recording.write(np.int64(7), {"a": np.float32(0.5), "b": Tensor(), "c": np.array(3.0)})
    assert next(store.read_rows(tmp_path)) | {"time": None} == {
        "step": 7.0, "time": None, "metrics": {"a": 0.5, "b": 2.5, "c": 3.0},
    }  # fmt: skip
    assert store.read_header(tmp_path)["config"] == {"shape": [3, 4], "set": [1], "class": "<class 'object'>"}


def test_what_json_cannot_hold(tmp_path):
    class Nameless:
        def __str__(self):
            raise RuntimeError("no name")

    with store.Recording(tmp_path, config={"big": 2**70, "half": "\udcff", "thing": Nameless()}):
        pass
    assert store.read_header(tmp_path)["config"] == {"big": float(2**70), "half": "?", "thing": "<Nameless>"}


def test_a_newer_format_asks_for_an_upgrade(tmp_path):
    (tmp_path / store.FILE).write_text('{"weaklink": "9.0", "schema": 9}\n', encoding="utf-8")
    with pytest.raises(ReadError, match="upgrade"):
        recording.read([tmp_path / store.FILE])


def test_a_missing_recording(tmp_path):
    with pytest.raises(ReadError, match="Check that it is there"):
        list(store.read_rows(tmp_path / "nothing"))


def run_of(**values) -> Run:
    steps = np.arange(0, 50, 5.0)
    series = {name: Series.of(name, steps, value, times=steps / 10) for name, value in values.items()}
    return Run(
        "mine", series, {"custom/x": Series.of("custom/x", [3, 3, 4], [1, 2, 3])}, Config.of({"gamma": 0.9}), "sb3"
    )


def test_a_run_comes_back(tmp_path):
    ramp = np.linspace(0, 1, 10)
    gaps = np.where(np.arange(10) % 4 == 2, np.nan, ramp)
    run = run_of(**{"policy.kl": ramp, "optimizer.loss": gaps})
    store.save(run, tmp_path / "saved")
    back = read(tmp_path / "saved")
    assert set(back.series) == set(run.series)
    for name, series in run.series.items():
        assert back[name].steps.tolist() == series.steps.tolist()
        assert back[name].values.tolist() == series.values.tolist()
        assert back[name].nonfinite == series.nonfinite
        assert back[name].count == series.count
    assert back["policy.kl"].times == pytest.approx(run["policy.kl"].times)
    assert back.unknown["custom/x"].values.tolist() == [1, 2, 3]
    assert back.config.values == run.config.values
    assert back.framework == "sb3"
    with pytest.raises(UsageError, match="exists already"):
        store.save(run, tmp_path / "saved")


def test_the_vocabulary_outranks_unknown_keys(tmp_path):
    run = Run(
        "mine",
        {"policy.kl": Series.of("policy.kl", [5, 6], [0.1, 0.2])},
        {"approx_kl": Series.of("approx_kl", [1, 2], [9.0, 9.0])},
    )
    store.save(run, tmp_path)
    assert read(tmp_path)["policy.kl"].values.tolist() == [0.1, 0.2]


points = st.lists(st.tuples(st.integers(0, 20), st.floats(width=32)), min_size=1, max_size=30)


@settings(max_examples=60, deadline=None)
@given(points)
def test_any_row_comes_back(tmp_path_factory, rows):
    folder = tmp_path_factory.mktemp("recording")
    with store.Recording(folder) as open_recording:
        for step, value in rows:
            open_recording.write(step, {"a": value})
    back = [(row["step"], row["metrics"]["a"]) for row in store.read_rows(folder)]
    assert str(back) == str([(float(step), value) for step, value in rows])


@settings(max_examples=60, deadline=None)
@given(st.binary(max_size=200), st.integers(0, 300))
def test_any_bytes_are_passed_over(tmp_path_factory, garbage, cut):
    folder = tmp_path_factory.mktemp("recording")
    with store.Recording(folder) as open_recording:
        for step in range(5):
            open_recording.write(step, {"a": 1.0})
    path = folder / store.FILE
    content = path.read_bytes()
    path.write_bytes(content[:cut] + garbage + content[cut:])
    assert all(row["metrics"] is not None for row in store.read_rows(folder))
