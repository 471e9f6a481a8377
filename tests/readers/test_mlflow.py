"""Both samples were written by mlflow-skinny 3.17 on Python 3.11.

With a tracking uri of sqlite:///mlflow.db and with file:mlruns (MLFLOW_ALLOW_FILE_STORE=true), in the experiment
"cartpole", for seed in (0, 1): start_run(run_name=f"ppo-seed{seed}"), log_params({"algo": "ppo",
"learning_rate": 3e-4, "seed": seed}), and for i in range(10) log_metric("train/approx_kl", 0.01 * i + seed,
step=128 * i), which is NaN, inf and -inf at i = 3, 4 and 5, and log_metric("rollout/ep_rew_mean", 20.0 + i,
step=128 * i). To make the database small, its tables but experiments, metrics, params, runs and tags were dropped
and it was vacuumed to pages of 512 bytes; of mlruns the empty default experiment was deleted.
"""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given, settings

from tests.readers.columns import series
from tests.readers.damage import flipped, garbage, only_read_errors, truncated
from weaklink.base.errors import CorruptLog, EmptyLog
from weaklink.collect.readers import _sqlite, mlflow

SAMPLES = Path(__file__).parent / "samples" / "mlflow"
DATABASE = SAMPLES / "mlflow.db"
EXPERIMENT = SAMPLES / "mlruns" / "813482495500961913"
RUNS = [EXPERIMENT / "95c08fe6349f4d7cb0f321c8409b547e", EXPERIMENT / "fecd5f4d9c3d42de963a875a49aaa6cd"]
FIRST_RUN = "22d411e71f5446beaf75e7d7174910b1"
SECOND_RUN = "156cad5a423244098c5116d314cfcd36"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("mlflow")


@pytest.fixture
def copy(tmp_path):
    return Path(shutil.copy(DATABASE, tmp_path / "mlflow.db"))


def change(path: Path, *statements: str) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        for statement in statements:
            connection.execute(statement)


@pytest.mark.parametrize("paths", [[DATABASE], RUNS], ids=["database", "folders"])
def test_sample(paths):
    logs = mlflow.read(paths)
    assert [raw.name for raw in logs] == ["ppo-seed0", "ppo-seed1"]
    for seed, raw in enumerate(logs):
        assert raw.config == {"algo": "ppo", "learning_rate": "0.0003", "seed": str(seed)}
        assert raw.source == str(paths[seed % len(paths)])
        assert raw.notes == []
        assert set(raw.columns) == {"train/approx_kl", "rollout/ep_rew_mean"}
        reward = series(raw, "rollout/ep_rew_mean")
        assert list(reward.steps) == [128.0 * i for i in range(10)]
        assert list(reward.values) == [20.0 + i for i in range(10)]
        kl = series(raw, "train/approx_kl")
        assert list(kl.values) == [0.01 * i + seed for i in (0, 1, 2, 6, 7, 8, 9)]
        assert kl.count == 10
        assert kl.nonfinite is not None
        assert (kl.nonfinite.count, kl.nonfinite.nan) == (3, 1)
        assert (kl.nonfinite.first_step, kl.nonfinite.last_step) == (384.0, 640.0)


def test_times_are_seconds():
    for paths, seconds in (([DATABASE], 1794709376.429), (RUNS, 1794709318.57)):
        times = series(mlflow.read(paths)[0], "train/approx_kl").times
        assert times is not None
        assert times[0] == seconds


def test_handles():
    assert mlflow.handles(DATABASE)
    assert all(mlflow.handles(run) for run in RUNS)
    assert not mlflow.handles(EXPERIMENT)
    assert not mlflow.handles(SAMPLES)
    assert not mlflow.handles(RUNS[0] / "metrics")
    assert not mlflow.handles(SAMPLES.parent / "trackio" / "cartpole.db")
    assert not mlflow.handles(SAMPLES / "missing.db")
    assert not mlflow.handles(Path(__file__))
    assert not mlflow.handles(Path("a\0b"))


def test_views_are_not_tables(copy):
    endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i AS key, i AS value, i AS step"
    change(copy, "DROP TABLE metrics", f"CREATE VIEW metrics AS {endless}, i AS run_uuid FROM n")
    assert not mlflow.handles(copy)


def test_deleted_run_is_left_out(copy):
    change(copy, f"UPDATE runs SET lifecycle_stage = 'deleted' WHERE run_uuid = '{FIRST_RUN}'")
    assert [raw.name for raw in mlflow.read([copy])] == ["ppo-seed1"]
    change(copy, "UPDATE runs SET lifecycle_stage = 'deleted'")
    with pytest.raises(EmptyLog):
        mlflow.read([copy])


def test_same_names_are_told_apart(copy):
    change(copy, "UPDATE runs SET name = 'same'", "DELETE FROM tags")
    assert [raw.name for raw in mlflow.read([copy])] == ["same (22d411e7)", "same (156cad5a)"]


def test_name_from_the_tag_or_the_id(copy):
    change(copy, "UPDATE runs SET name = NULL", f"DELETE FROM tags WHERE run_uuid = '{SECOND_RUN}'")
    assert [raw.name for raw in mlflow.read([copy])] == ["ppo-seed0", SECOND_RUN]


def test_metrics_of_a_run_that_is_not_listed(copy):
    change(copy, "DELETE FROM runs")
    assert [raw.name for raw in mlflow.read([copy])] == [FIRST_RUN, SECOND_RUN]


def test_empty_database(copy):
    change(copy, "DELETE FROM metrics")
    with pytest.raises(EmptyLog, match=r"mlflow\.db holds none"):
        mlflow.read([copy])


def test_run_without_metrics_is_left_out(copy):
    change(copy, f"DELETE FROM metrics WHERE run_uuid = '{SECOND_RUN}'")
    assert [raw.name for raw in mlflow.read([copy])] == ["ppo-seed0"]


def test_values_that_are_no_numbers(copy):
    change(
        copy, "UPDATE metrics SET value = x'00ff' WHERE step = 128", "UPDATE metrics SET step = 'x' WHERE step = 256"
    )
    raw = mlflow.read([copy])[0]
    assert list(series(raw, "rollout/ep_rew_mean").steps) == [0.0, *(128.0 * i for i in range(3, 10))]
    assert raw.notes == ["8 row(s) of the table metrics hold no value or no step: they were left out"]


def test_only_metrics_can_be_read(copy):
    change(copy, "DROP TABLE tags", "DROP TABLE params")
    assert not mlflow.handles(copy)
    assert mlflow.read([copy])[0].notes == ["the table params is missing"]


def test_a_database_that_is_being_written(copy):
    with closing(sqlite3.connect(copy, isolation_level=None)) as writer:
        writer.execute("BEGIN IMMEDIATE")
        writer.execute("DELETE FROM metrics")
        assert len(series(mlflow.read([copy])[0], "rollout/ep_rew_mean")) == 10


def test_a_database_that_cannot_be_locked(copy, monkeypatch):
    opened = _sqlite._open

    def refuse(path, how):
        if "immutable" not in how:
            raise sqlite3.OperationalError("unable to open database file")
        return opened(path, how)

    monkeypatch.setattr(_sqlite, "_open", refuse)
    raw = mlflow.read([copy])[0]
    assert raw.notes == ["mlflow.db was read without its journal: its newest rows may be missing"]
    assert len(raw.columns) == 2


def run_folder(folder: Path, content: bytes) -> Path:
    run = folder / "run"
    shutil.rmtree(run, ignore_errors=True)
    (run / "metrics" / "train").mkdir(parents=True)
    (run / "meta.yaml").write_text("run_name: 'by hand'\nlifecycle_stage: active\n")
    (run / "metrics" / "train" / "loss").write_bytes(content)
    return run


def test_torn_and_damaged_lines(folder):
    raw = mlflow.read([run_folder(folder, b"1000 0.5 1\nnonsense\n2000 x 2\n\n3000 0.25 3 model-1\n4000 0.1")])[0]
    assert raw.name == "by hand"
    assert list(series(raw, "train/loss").steps) == [1.0, 3.0]
    assert raw.notes == [
        "the last line of metrics/train/loss is not whole yet: it was left out",
        "2 line(s) of metrics/train/loss hold no value or no step: they were left out",
    ]


def test_folders_without_numbers(folder):
    with pytest.raises(EmptyLog):
        mlflow.read([run_folder(folder, b"")])
    with pytest.raises(CorruptLog):
        mlflow.read([run_folder(folder, b"a b c\n")])
    run = run_folder(folder, b"1000 0.5 1\n")
    (run / "meta.yaml").write_text("lifecycle_stage: deleted\n")
    with pytest.raises(EmptyLog, match="deleted"):
        mlflow.read([run])


def test_links_are_not_followed(folder):
    secret = folder / "secret"
    secret.write_text("1 2 3\n")
    run = run_folder(folder, b"1000 0.5 1\n")
    (run / "metrics" / "linked").symlink_to(secret)
    (run / "metrics" / "up").symlink_to(folder)
    (run / "params").symlink_to(folder)
    raw = mlflow.read([run])[0]
    assert set(raw.columns) == {"train/loss"}
    assert raw.config == {}


def test_one_bad_path_among_several(folder):
    bad = folder / "bad.db"
    bad.write_bytes(DATABASE.read_bytes()[:600])
    logs = mlflow.read([bad, DATABASE])
    assert len(logs) == 2
    assert "bad.db" in logs[0].notes[0]


@settings(max_examples=60, deadline=None)
@given(content=garbage(_sqlite.MAGIC))
def test_garbage(folder, content):
    only_read_errors(mlflow, folder / "garbage.db", content)
    only_read_errors(mlflow, run_folder(folder, content))


@settings(max_examples=60, deadline=None)
@given(content=flipped(DATABASE.read_bytes()))
def test_flipped_bits(folder, content):
    only_read_errors(mlflow, folder / "flipped.db", content)


@settings(max_examples=40, deadline=None)
@given(content=truncated(DATABASE.read_bytes()))
def test_truncated(folder, content):
    only_read_errors(mlflow, folder / "truncated.db", content)
