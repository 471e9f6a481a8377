"""TorchRL's CSVLogger."""

from __future__ import annotations

from pathlib import Path

from weaklink.base.evidence.series import Provenance
from weaklink.collect.readers import torchrl_csv

SAMPLE = Path(__file__).parent / "samples" / "torchrl" / "exp"


def series(log, key):
    return log.columns[key].build(key, Provenance(key))


def test_an_experiment():
    assert torchrl_csv.handles(SAMPLE)
    log = torchrl_csv.read([SAMPLE])[0]
    assert log.framework == "torchrl"
    assert set(log.columns) == {"r_training", "train/loss_objective"}
    assert series(log, "train/loss_objective").steps.tolist() == [1000.0 * step for step in range(12)]
    assert log.config == {"env": "CartPole-v1", "gamma": "0.99", "lr": "0.0003"}


def test_one_scalar_or_the_folder_of_scalars():
    scalar = SAMPLE / "scalars" / "train" / "loss_objective.csv"
    assert torchrl_csv.handles(scalar)
    assert list(torchrl_csv.read([scalar])[0].columns) == ["train/loss_objective"]
    assert torchrl_csv.handles(SAMPLE / "scalars")
    assert len(torchrl_csv.read([SAMPLE / "scalars"])[0].columns) == 2


def test_damage_is_a_remark(tmp_path):
    scalars = tmp_path / "scalars"
    scalars.mkdir()
    (scalars / "loss.csv").write_text("0,1.0\n1,nan\nx,y\n2,2.0\n3,", encoding="utf-8")
    log = torchrl_csv.read([tmp_path])[0]
    assert series(log, "loss").steps.tolist() == [0, 2]
    assert series(log, "loss").nonfinite.nan == 1
    assert log.notes == ["loss.csv: 2 cut off or damaged lines left out"]


def test_sniffing(tmp_path):
    assert not torchrl_csv.handles(tmp_path)
    (tmp_path / "scalars").mkdir()
    assert not torchrl_csv.handles(tmp_path)
    (tmp_path / "scalars" / "a.csv").write_text("step,value\n1,2\n", encoding="utf-8")
    assert not torchrl_csv.handles(tmp_path)
    assert not torchrl_csv.handles(tmp_path / "missing")
