"""RLlib's result.json."""

from __future__ import annotations

import json
from pathlib import Path

from weaklink.base.evidence.series import Provenance
from weaklink.collect.readers import rllib_result

SAMPLE = Path(__file__).parent / "samples" / "rllib" / "PPO_CartPole-v1_1a2b3_00000" / "result.json"


def series(log, key):
    return log.columns[key].build(key, Provenance(key))


def test_a_trial():
    assert rllib_result.handles(SAMPLE)
    log = rllib_result.read([SAMPLE])[0]
    assert (log.framework, log.axis) == ("rllib", "env_steps")
    assert series(log, "env_runners/episode_return_mean").steps.tolist() == [4000.0 * row for row in range(1, 7)]
    assert log.config["clip_param"] == 0.3
    assert log.config["model"]["fcnet_hiddens"] == [256, 256]
    assert series(log, "learners/default_policy/entropy").times is not None


def test_what_is_no_metric_is_left_out():
    log = rllib_result.read([SAMPLE])[0]
    assert not [key for key in log.columns if "config" in key or "hist_stats" in key or "num_trainable" in key]
    assert not {"trial_id", "pid", "done", "date"} & set(log.columns)


def test_a_configuration_that_changes_is_still_read(tmp_path):
    path = tmp_path / "result.json"
    rows = [{"training_iteration": n, "loss": 1.0 * n, "config": {"lr": 0.1 if n < 3 else 0.2}} for n in range(1, 6)]
    path.write_text("\n".join(map(json.dumps, rows)) + "\n", encoding="utf-8")
    log = rllib_result.read([path])[0]
    assert log.config == {"lr": 0.2}
    assert series(log, "loss").values.tolist() == [1, 2, 3, 4, 5]


def test_torn_and_damaged_lines(tmp_path):
    path = tmp_path / "result.json"
    lines = SAMPLE.read_text().splitlines()
    path.write_text("\n".join([lines[0], "{garbage", *lines[1:]])[:-300], encoding="utf-8")
    log = rllib_result.read([path])[0]
    assert len(log.columns["learners/default_policy/entropy"]) == 5
    assert log.notes == ["result.json: 2 cut off or damaged lines left out"]


def test_sniffing(tmp_path):
    other = tmp_path / "result.json"
    other.write_text('{"score": 1}', encoding="utf-8")
    assert not rllib_result.handles(other)
    other.write_text("", encoding="utf-8")
    assert rllib_result.handles(other)
    assert not rllib_result.handles(tmp_path / "missing" / "result.json")
