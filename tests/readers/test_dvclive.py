"""DVCLive: one table a metric below `plots/metrics`."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.readers.columns import series
from weaklink.base.errors import EmptyLog
from weaklink.collect import readers
from weaklink.collect.readers import dvclive

# written by DVCLive 3's own `Metric.dump`
SAMPLE = Path(__file__).parent / "samples" / "dvclive" / "exp"
METRICS = SAMPLE / "plots" / "metrics"
STEPS = [2048.0 * row for row in range(12)]


def write(folder: Path, name: str, content: str) -> Path:
    table = folder / "plots" / "metrics" / f"{name}.tsv"
    table.parent.mkdir(parents=True, exist_ok=True)
    table.write_text(content, encoding="utf-8")
    return table


def test_every_metric_has_the_name_it_was_logged_by():
    assert dvclive.handles(SAMPLE)
    log = dvclive.read([SAMPLE])[0]
    assert set(log.columns) == {"episode_return", "train/approx_kl", "train/entropy", "system/cpu/usage (%)"}
    assert series(log, "train/entropy").steps.tolist() == STEPS
    assert series(log, "train/approx_kl").nonfinite.nan == 1
    assert log.notes == []


def test_times_are_seconds_where_they_were_logged():
    log = dvclive.read([SAMPLE])[0]
    times = series(log, "episode_return").times
    assert times is not None
    assert times[[0, -1]].tolist() == [1_700_000_002.5, 1_700_000_030.0]
    assert series(log, "train/entropy").times is None


def test_the_folder_is_one_run_with_its_parameters(tmp_path):
    shutil.copytree(SAMPLE, tmp_path / "project" / "dvclive")
    (found,) = readers.discover(tmp_path)
    assert (found.name, found.formats) == ("project/dvclive", ("dvclive",))
    run = found.read()[0]
    assert run["reward.episode_return"].values[-1] == pytest.approx(120.302)
    assert run["policy.kl"].last_step == STEPS[-1]
    assert (run.config.algorithm, run.config.number("gamma")) == ("ppo", 0.99)


def test_one_table_or_the_folder_of_metrics():
    table = METRICS / "train" / "entropy.tsv"
    assert dvclive.handles(table)
    assert list(dvclive.read([table])[0].columns) == ["train/entropy"]
    assert dvclive.handles(METRICS)
    assert len(dvclive.read([METRICS])[0].columns) == 4


def test_times_in_some_rows_only(tmp_path):
    """DVCLive writes the header once, though each call decides whether its row has a time."""
    table = write(tmp_path, "loss", "step\tloss\n0\t1.0\n1700000000000\t1\t0.5\n")
    log = dvclive.read([table])[0]
    assert series(log, "loss").steps.tolist() == [0, 1]
    assert series(log, "loss").values.tolist() == [1.0, 0.5]


def test_rows_without_a_number_are_a_remark(tmp_path):
    write(tmp_path, "loss", "step\tloss\n0\t1.0\n1\tdiverged\nx\t2.0\n3\t3.0\n4")
    log = dvclive.read([tmp_path])[0]
    assert series(log, "loss").steps.tolist() == [0, 3]
    assert log.notes == ["loss.tsv: 3 rows without a number left out"]


def test_a_folder_without_a_number_is_an_error_with_a_cure(tmp_path):
    write(tmp_path, "phase", "step\tphase\n0\twarmup\n1\tdone\n")
    with pytest.raises(EmptyLog, match=r"holds no number \(DVCLive\)\. Train until a first row is logged"):
        readers.read(tmp_path)


def test_what_is_not_its_own(tmp_path):
    assert not dvclive.handles(tmp_path)
    assert not dvclive.handles(tmp_path / "missing")
    assert not dvclive.handles(write(tmp_path, "loss", "epoch\tloss\n0\t1.0\n"))
    assert not dvclive.handles(tmp_path)
    elsewhere = tmp_path / "loss.tsv"
    elsewhere.write_text("step\tloss\n0\t1.0\n", encoding="utf-8")
    assert not dvclive.handles(elsewhere)


def test_a_link_out_of_the_folder_is_not_followed(tmp_path):
    outside = write(tmp_path / "other", "loss", "step\tloss\n0\t1.0\n")
    run = tmp_path / "run"
    write(run, "entropy", "step\tentropy\n0\t1.0\n")
    (run / "plots" / "metrics" / "loss.tsv").symlink_to(outside)
    assert list(dvclive.read([run])[0].columns) == ["entropy"]
    linked = tmp_path / "linked"
    linked.mkdir()
    (linked / "plots").symlink_to(run / "plots", target_is_directory=True)
    assert not dvclive.handles(linked)
