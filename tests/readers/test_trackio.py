"""The sample was written by trackio 0.43 on Python 3.11, with TRACKIO_DIR set.

For seed in (0, 1): trackio.init(project="cartpole", name=f"ppo-seed{seed}", config={"algo": "ppo",
"learning_rate": 3e-4, "seed": seed, "env": {"id": "CartPole-v1"}}), and for i in range(10)
trackio.log({"train/approx_kl": 0.01 * i + seed, "rollout/ep_rew_mean": 20.0 + i, "nested": {"loss": 1 / (i + 1)}},
step=128 * i), where the KL is NaN, inf and -inf at i = 3, 4 and 5 and a histogram goes with i = 6. To make it
small, the tables of artifacts, traces and uploads were dropped and it was vacuumed to pages of 512 bytes; it is
still in the mode of a write-ahead log.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
from contextlib import closing
from datetime import datetime, timezone
from pathlib import Path

import pytest
from hypothesis import given, settings

from tests.readers.columns import series
from tests.readers.damage import flipped, garbage, only_read_errors, truncated
from weaklink.base.errors import EmptyLog
from weaklink.base.limits import LONGEST_LINE
from weaklink.collect.readers import _sqlite, trackio
from weaklink.collect.readers._rows import DEEPEST

SAMPLE = Path(__file__).parent / "samples" / "trackio" / "cartpole.db"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("trackio")


@pytest.fixture
def copy(tmp_path):
    return Path(shutil.copy(SAMPLE, tmp_path / "cartpole.db"))


def change(path: Path, statement: str, *values: object) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute(statement, values)


def test_sample():
    logs = trackio.read([SAMPLE])
    assert [raw.name for raw in logs] == ["ppo-seed0", "ppo-seed1"]
    for seed, raw in enumerate(logs):
        assert raw.config == {"algo": "ppo", "learning_rate": 0.0003, "seed": seed, "env": {"id": "CartPole-v1"}}
        assert raw.source == str(SAMPLE)
        assert raw.notes == []
        assert set(raw.columns) == {"train/approx_kl", "rollout/ep_rew_mean", "nested/loss"}
        reward = series(raw, "rollout/ep_rew_mean")
        assert list(reward.steps) == [128.0 * i for i in range(10)]
        assert list(reward.values) == [20.0 + i for i in range(10)]
        assert list(series(raw, "nested/loss").values) == [1 / (i + 1) for i in range(10)]
        kl = series(raw, "train/approx_kl")
        assert list(kl.values) == [0.01 * i + seed for i in (0, 1, 2, 6, 7, 8, 9)]
        assert kl.nonfinite is not None
        assert (kl.nonfinite.count, kl.nonfinite.nan) == (3, 1)
    times = series(logs[0], "nested/loss").times
    assert times is not None
    assert times[0] == 1794709320.453052


def test_handles():
    assert trackio.handles(SAMPLE)
    assert not trackio.handles(SAMPLE.parent)
    assert not trackio.handles(SAMPLE.parents[1] / "mlflow" / "mlflow.db")
    assert not trackio.handles(SAMPLE.with_name("missing.db"))
    assert not trackio.handles(Path(__file__))
    assert not trackio.handles(Path("a\0b"))


def test_nothing_is_left_beside_the_file(copy):
    trackio.handles(copy)
    trackio.read([copy])
    assert os.listdir(copy.parent) == ["cartpole.db"]


def test_rows_still_in_the_write_ahead_log(copy):
    with closing(sqlite3.connect(copy, isolation_level=None)) as writer:
        writer.execute("UPDATE metrics SET metrics = '{\"new\": 5}' WHERE step = 1152")
        assert copy.with_name("cartpole.db-wal").stat().st_size
        raw = trackio.read([copy])[0]
    assert list(series(raw, "new").steps) == [1152.0]


def test_older_schema_without_run_id(tmp_path):
    path = tmp_path / "old.db"
    change(path, "CREATE TABLE metrics (id INTEGER PRIMARY KEY, timestamp TEXT, run_name TEXT, step INT, metrics TEXT)")
    change(path, "CREATE TABLE configs (id INTEGER PRIMARY KEY, run_name TEXT, config TEXT, created_at TEXT)")
    insert = "INSERT INTO metrics (timestamp, run_name, step, metrics) VALUES (?, ?, ?, ?)"
    change(path, insert, "2025-08-01T00:00:10", "a", 3, '{"loss": 0.5}')
    change(path, insert, "yesterday", "b", 4, '{"loss": Infinity}')
    assert trackio.handles(path)
    first, second = trackio.read([path])
    assert (first.name, second.name) == ("a", "b")
    times = series(first, "loss").times
    assert times is not None
    assert times[0] == 1754006410.0
    assert series(second, "loss").nonfinite is not None


def test_same_names_are_told_apart(copy):
    change(copy, "UPDATE metrics SET run_name = 'same'")
    change(copy, "UPDATE configs SET run_name = 'same'")
    assert [raw.name for raw in trackio.read([copy])] == ["same (8fc73103)", "same (4d84c529)"]


@pytest.mark.parametrize("row", [b"{", b"\xff\xfe", "[1]", "5", b"[" * 100_000, None])
def test_rows_that_are_no_json(copy, row):
    change(copy, "PRAGMA ignore_check_constraints = 1")
    change(copy, "UPDATE metrics SET metrics = ? WHERE step = 128", row if row is not None else 7)
    raw = trackio.read([copy])[0]
    assert len(series(raw, "rollout/ep_rew_mean")) == 9
    assert raw.notes == ["2 row(s) of the table metrics hold no step or no JSON: they were left out"]


@pytest.mark.parametrize("kind", [str, str.encode])
def test_values_beyond_the_longest_line(copy, kind):
    row = kind('{"long": 1%s}' % (" " * LONGEST_LINE))
    change(copy, "UPDATE configs SET config = ?", row)
    (note,) = {note for raw in trackio.read([copy]) for note in raw.notes}
    assert note.startswith("the table configs is damaged: its rows were read up to there (")
    assert "too big" in note


def test_times_in_utc_as_other_programs_write_them(copy):
    change(copy, "UPDATE metrics SET timestamp = '2026-01-02T03:04:05Z'")
    times = series(trackio.read([copy])[0], "rollout/ep_rew_mean").times
    assert set(times) == {datetime(2026, 1, 2, 3, 4, 5, tzinfo=timezone.utc).timestamp()}


def test_numbers_beyond_all_bounds(copy):
    change(copy, "UPDATE metrics SET metrics = ? WHERE step = 128", '{"wide": 1%s}' % ("0" * 5000))
    wide = series(trackio.read([copy])[0], "wide")
    assert wide.nonfinite is not None
    assert wide.nonfinite.nan == 0


def test_deeply_nested_row(copy):
    nested = '{"a":' * 300 + "1" + "}" * 300
    change(copy, "UPDATE metrics SET metrics = ? WHERE step = 128", nested.replace(":", ': 1, "b":', DEEPEST + 5))
    depths = [key.count("/") for key in trackio.read([copy])[0].columns if key.endswith("b/a")]
    assert sorted(depths) == list(range(1, DEEPEST + 1))


def test_media_are_left_out(copy):
    row = '{"image": {"_type": "trackio.image", "width": 4}, "in": {"plot": {"_type": "plot", "n": 1}, "x": 2}}'
    change(copy, "UPDATE metrics SET metrics = ?", row)
    assert set(trackio.read([copy])[0].columns) == {"in/x"}


def test_points_of_which_some_have_no_time(copy):
    change(copy, "UPDATE metrics SET timestamp = 'yesterday' WHERE step = 128")
    reward = series(trackio.read([copy])[0], "rollout/ep_rew_mean")
    assert len(reward) == 10
    assert reward.times is None


def test_empty_database(copy):
    change(copy, "DELETE FROM metrics")
    with pytest.raises(EmptyLog, match=r"cartpole\.db holds none"):
        trackio.read([copy])


def test_one_bad_path_among_several(folder):
    bad = folder / "bad.db"
    bad.write_bytes(SAMPLE.read_bytes()[:600])
    logs = trackio.read([bad, SAMPLE])
    assert len(logs) == 2
    assert "bad.db" in logs[0].notes[0]


@settings(max_examples=50, deadline=None)
@given(content=garbage(_sqlite.MAGIC))
def test_garbage(folder, content):
    only_read_errors(trackio, folder / "garbage.db", content)


@settings(max_examples=60, deadline=None)
@given(content=flipped(SAMPLE.read_bytes()))
def test_flipped_bits(folder, content):
    only_read_errors(trackio, folder / "flipped.db", content)


@settings(max_examples=40, deadline=None)
@given(content=truncated(SAMPLE.read_bytes()))
def test_truncated(folder, content):
    only_read_errors(trackio, folder / "truncated.db", content)
