"""One row a run, for pandas and DuckDB."""

from __future__ import annotations

import json
from pathlib import Path

import pandas
import pytest

from tests.cli.logs import call
from tests.fleet.sweeps import make_sweep, options
from weaklink.verbs.diagnose import diagnose
from weaklink.verbs.fleet import table


def test_each_run_has_its_row(tmp_path):
    root = make_sweep(tmp_path / "runs", 8)
    (root / "empty").mkdir()
    (root / "empty" / "progress.csv").write_text("time/total_timesteps,rollout/ep_rew_mean\n")
    done = diagnose(options(root, out=str(tmp_path / "out")))
    rows = pandas.read_parquet(done.table)
    assert Path(done.table) == tmp_path / "out" / "runs.parquet"
    assert len(rows) == 9
    broken = rows[rows["config.learning_rate"] > 1e-3]
    assert set(broken.verdict) == {"broken"}
    assert broken.code.tolist() == [one.first_break.code for one in done.results if one.target in set(broken.target)]
    assert [finding["code"] for finding in broken.iloc[0].findings] == broken.iloc[0].codes.tolist()
    healthy = rows[rows.verdict == "healthy"].iloc[0]
    assert healthy.improved
    assert healthy.metric == "reward.episode_return"
    assert healthy.final > healthy.start
    assert 8 <= len(healthy.curve) <= 48
    assert (healthy.algorithm, healthy.environment) == ("ppo", "CartPole-v1")
    unread = rows[rows.verdict == "unreadable"].iloc[0]
    assert "holds no number" in unread.error


def test_without_pyarrow_it_is_lines_of_json(tmp_path, monkeypatch):
    root = make_sweep(tmp_path / "runs", 4)
    diagnose(options(root, out=str(tmp_path / "out")))
    monkeypatch.setattr(table, "has_parquet", lambda: False)
    done = diagnose(options(root, out=str(tmp_path / "out")))
    rows = [json.loads(line) for line in Path(done.table).read_text().splitlines()]
    assert [row["config.learning_rate"] for row in rows] == [1e-4, 3e-4, 1e-3, 1e-2]
    assert rows[3]["verdict"] == "broken"
    assert [file.name for file in sorted((tmp_path / "out").iterdir())] == ["cache.bin", "runs.jsonl"]


def test_values_of_mixed_kinds_and_secrets(tmp_path):
    root = make_sweep(tmp_path / "runs", 3)
    mixed = (3, "auto", True)
    for folder, value in zip(sorted(root.iterdir()), mixed, strict=True):
        settings = {"horizon": value, "api_key": "sk-abcdefghijklmnopqrstuv", "note": "of sk-abcdefghijklmnopqrstuv"}
        (folder / "config.json").write_text(json.dumps(settings))
    done = diagnose(options(root, out=str(tmp_path / "out")))
    rows = pandas.read_parquet(done.table)
    assert rows["config.horizon"].tolist() == ["3", "auto", "True"]
    assert "config.api_key" not in rows
    for file in (tmp_path / "out").iterdir():
        assert b"sk-abcdefghijk" not in file.read_bytes()


def test_the_command_says_where_the_table_is(tmp_path):
    root = make_sweep(tmp_path / "runs", 3)
    done = call("diagnose", root, "--out", tmp_path / "new" / "out", "--fail-on", "never")
    assert done.returncode == 0
    assert f"weaklink: the table of 3 runs is {tmp_path}/new/out/runs.parquet" in done.stderr


@pytest.mark.parametrize("workers", ["0", "3"])
def test_a_folder_that_cannot_be_made_is_wrong_use(tmp_path, workers):
    root = make_sweep(tmp_path / "runs", 2)
    (tmp_path / "file").write_text("")
    done = call("diagnose", root, "--out", tmp_path / "file" / "out", "--workers", workers)
    assert done.returncode == 2
    assert "Name another one by --out" in done.stderr


def test_a_table_is_written_anew_only_where_something_changed(tmp_path):
    root, out = make_sweep(tmp_path / "runs", 3), str(tmp_path / "out")
    file = Path(diagnose(options(root, out=out)).table)
    before = file.stat().st_mtime_ns
    assert Path(diagnose(options(root, out=out)).table).stat().st_mtime_ns == before
    file.write_bytes(b"somebody else's")
    assert len(pandas.read_parquet(diagnose(options(root, out=out)).table)) == 3
    (root / "run_000" / "config.json").write_text(json.dumps({"learning_rate": 0.5}))
    rows = pandas.read_parquet(diagnose(options(root, out=out)).table)
    assert rows["config.learning_rate"].tolist() == [0.5, 3e-4, 1e-3]
