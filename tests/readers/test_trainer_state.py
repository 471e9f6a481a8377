"""Hugging Face's trainer_state.json."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from weaklink.base.errors import CorruptLog
from weaklink.base.evidence.series import Provenance
from weaklink.collect.readers import read, read_all, trainer_state

RUN = Path(__file__).parent / "samples" / "trainer_state" / "grpo"
STATES = sorted(RUN.glob("checkpoint-*/trainer_state.json"))


def series(log, key):
    return log.columns[key].build(key, Provenance(key))


def test_the_newest_checkpoint_is_read():
    assert all(map(trainer_state.handles, STATES))
    log = trainer_state.read(STATES)[0]
    assert (log.framework, log.axis) == ("trl", "updates")
    assert series(log, "reward").steps.tolist() == [5, 10, 15, 20]
    assert log.source.endswith("checkpoint-20/trainer_state.json")


def test_the_final_summary_is_no_row():
    log = trainer_state.read(STATES)[0]
    assert not {"train_loss", "train_runtime", "total_flos"} & set(log.columns)


def test_settings_and_bare_nan():
    log = trainer_state.read(STATES)[0]
    assert log.config == {
        "logging_steps": 5, "max_steps": 20, "num_train_epochs": 1, "per_device_train_batch_size": 8,
    }  # fmt: skip
    assert series(log, "grad_norm").nonfinite.first_step == 10


def test_a_torn_state_keeps_its_whole_rows(tmp_path):
    path = tmp_path / "trainer_state.json"
    content = STATES[-1].read_text()
    path.write_text(content[: content.index('"step": 15')], encoding="utf-8")
    log = trainer_state.read([path])[0]
    assert series(log, "reward").steps.tolist() == [5, 10]
    assert len(log.notes) == 1


def test_a_state_without_any_row_is_corrupt(tmp_path):
    path = tmp_path / "trainer_state.json"
    path.write_text('{"best_metric": null, "log_his', encoding="utf-8")
    with pytest.raises(CorruptLog, match="another checkpoint"):
        trainer_state.read([path])


def test_an_unusual_state(tmp_path):
    path = tmp_path / "trainer_state.json"
    path.write_text(
        json.dumps({"log_history": {"a": 1}, "max_steps": "x", "trial_params": {"lr": 1e-5}}), encoding="utf-8"
    )
    log = trainer_state.read([path])[0]
    assert not log.columns
    assert log.config == {"lr": 1e-5}


def test_sniffing(tmp_path):
    assert not trainer_state.handles(tmp_path / "trainer_state.json")
    other = tmp_path / "state.json"
    other.write_text("{}", encoding="utf-8")
    assert not trainer_state.handles(other)


def put(path, rewards):
    rows = [{"reward": reward, "loss": 0.1, "epoch": step / 60, "step": step} for step, reward in enumerate(rewards, 1)]
    path.write_text(json.dumps({"epoch": 1.0, "global_step": len(rows), "max_steps": 60, "log_history": rows}))


def test_a_state_is_known_by_what_it_holds(tmp_path):
    put(tmp_path / "grpo_math.json", [0.1, 0.2, 0.3])
    run = read(tmp_path)
    assert (run.framework, run["reward.mean"].steps.tolist()) == ("trl", [1, 2, 3])
    (tmp_path / "settings.json").write_text('{"log_history": false, "learning_rate": 0.1}')
    assert not trainer_state.handles(tmp_path / "settings.json")


def test_states_of_other_names_are_trainings_of_their_own_and_checkpoints_are_not(tmp_path):
    for name in ("easy.json", "hard.json"):
        put(tmp_path / name, [0.1, 0.2])
    for step in (2, 3):
        put(tmp_path / f"trainer_state_{step}.json", [0.5] * step)
    found = {run.name: len(run["reward.mean"]) for run in read_all(tmp_path)}
    assert sorted(found.values()) == [2, 2, 3]
    assert {"easy.json", "hard.json"} < set(found)
