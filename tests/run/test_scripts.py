"""Training scripts as people write them, run unchanged: the same weights and output, and a recording of each."""

from __future__ import annotations

from importlib import util

import pytest

import weaklink
from tests.run.running import drop_own_lines, list_recordings, run_alone, run_watched

NEEDED = ("gymnasium", "torch", "stable_baselines3")
pytestmark = pytest.mark.skipif(not all(map(util.find_spec, NEEDED)), reason=f"needs {', '.join(NEEDED)}")


def test_three_models_of_stable_baselines_are_three_recordings(tmp_path, capfd):
    ran, printed, _ = run_watched(capfd, tmp_path / "out", "three_models.py", "--a", "b", budget=0.5)
    assert printed == run_alone("three_models.py", "--a", "b").stdout
    assert ran.code == 0
    assert list_recordings(tmp_path / "out") == ["dqn", "ppo", "sac"]
    runs = {name: weaklink.read(tmp_path / "out" / name) for name in ("ppo", "dqn", "sac")}
    assert {name: run.framework for name, run in runs.items()} == dict.fromkeys(runs, "sb3")
    assert [run.context["algorithm"].lower() for run in runs.values()] == ["ppo", "dqn", "sac"]
    assert runs["ppo"].last_step == 192  # the second training of the same model goes on in the same recording
    assert runs["dqn"].last_step == 200
    assert max(runs["ppo"]["optimizer.gradient_norm"].steps) <= 192
    assert {"RET201", "POL201"} <= set(runs["ppo"].checked)
    assert len(ran.diagnoses) == 3


def test_a_ppo_by_hand_ends_with_the_same_weights(tmp_path, capfd):
    ran, printed, complained = run_watched(capfd, tmp_path / "out", "own_ppo.py", "--updates", "5", budget=0.5)
    assert printed == run_alone("own_ppo.py", "--updates", "5").stdout
    assert drop_own_lines(complained) == ""
    run = weaklink.read(tmp_path / "out" / "loop")
    assert run.last_step == 5 * 64 * 2
    assert run.config["env_id"] == "CartPole-v1"
    assert {"reward.episode_return", "optimizer.gradient_norm", "optimizer.learning_rate"} <= set(run.series)
    assert run.context["heard"] == ["episodes", "optimizers"]
    assert ran.notes == ()


def test_a_dqn_by_hand_is_told_from_its_evaluation_and_fails_as_alone(tmp_path, capfd):
    ran, _, complained = run_watched(capfd, tmp_path / "out", "own_dqn.py", "500", "450", budget=0.5)
    alone = run_alone("own_dqn.py", "500", "450")
    assert ran.code == alone.returncode == 1
    assert drop_own_lines(complained) == alone.stderr
    assert "the simulator broke" in alone.stderr
    run = weaklink.read(tmp_path / "out" / "loop")
    assert 430 <= run.last_step <= 449  # evaluation steps are not counted
    assert len(run["evaluation.return"].values) == 4
    assert "optimizer.gradient_norm" in run
