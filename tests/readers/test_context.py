from __future__ import annotations

import pytest

from weaklink.collect import readers


def _write(path, header, rows):
    path.write_text("\n".join([header, *rows]) + "\n")
    return readers.read(path)


def test_eps_that_falls_within_0_and_1_is_the_share_of_random_actions(tmp_path):
    run = _write(tmp_path / "log.csv", "step,return,eps", [f"{s},{s},{max(1 - s / 20, 0.05)}" for s in range(1, 30)])
    assert run["exploration.epsilon"].provenance.key == "eps"


def test_eps_that_counts_is_none(tmp_path):
    run = _write(tmp_path / "log.csv", "step,return,eps", [f"{s},{s},{10 * s}" for s in range(1, 30)])
    assert "exploration.epsilon" not in run


@pytest.mark.parametrize(("header", "metric"), [("step,reward,length", "episode_return"), ("step,reward,kl", "mean")])
def test_a_reward_beside_the_length_of_episodes_is_a_return(tmp_path, header, metric):
    run = _write(tmp_path / "log.csv", header, [f"{s},{s},{2 * s}" for s in range(1, 30)])
    assert run[f"reward.{metric}"].provenance.key == "reward"
