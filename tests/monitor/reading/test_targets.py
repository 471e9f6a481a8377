"""Targets of whole rollouts and episodes that known mistakes made, told from right ones."""

from __future__ import annotations

import pytest

from tests.recoveries import episodic, ppo


@pytest.mark.parametrize("environment", ["CartPole-v1", "Acrobot-v1"])
def test_one_pass_over_a_rollout_tells_an_advantage_that_was_not_detached(environment: str) -> None:
    once = {"environment": environment, "epochs": 1, "minibatch": 256, "lam": 1.0, "normalise": False}
    (attached,) = ppo(fault="attached", **once).recovered.values
    (right,) = ppo(**once).recovered.values
    assert attached.source == "advantage not detached in the policy's loss"
    assert attached.gamma == pytest.approx(0.97, abs=1e-4)
    assert right.source == ""


def test_one_reward_in_all_rows_that_is_lost_is_told_from_one_that_is_scaled() -> None:
    sources = [ppo(fault=fault).recovered.values[0].source for fault in ("rewards lost", "rewards scaled", "")]
    assert sources == ["reward left out", "", ""]


def test_sums_that_run_forwards_are_told_from_returns() -> None:
    assert episodic("forwards").recovered.values[0].source == "time not reversed"
    assert episodic().recovered.values[0].source == ""
