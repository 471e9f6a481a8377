"""Targets of other rows, and targets that no estimator makes."""

from __future__ import annotations

import pytest

from tests.recoveries import continuous, episodic, ppo

NAMED = {
    "axes mixed up": "environment and time axes mixed up in a reshape",
    "reversed": "time not reversed",
    "of the next row": "result shifted by one",
    "normalised": "value target from normalised advantages",
    "moving": "target moves along with the critic",
}


@pytest.mark.parametrize("environment", ["CartPole-v1", "Pendulum-v1"])
@pytest.mark.parametrize("fault", NAMED)
def test_they_are_named(fault: str, environment: str) -> None:
    found = ppo(fault=fault, environment=environment).recovered
    assert found is not None
    assert [each.source for each in found.values] == [NAMED[fault]]


def test_a_mask_that_is_inverted() -> None:
    found = ppo(fault="mask inverted", steps=192).recovered
    assert found is not None
    assert [each.source for each in found.values] == ["mask inverted"]
    right = ppo(steps=192).recovered
    assert right is not None
    assert [each.source for each in right.values] == [""]


@pytest.mark.parametrize("environment", ["Pendulum-v1", "Acrobot-v1"])
def test_rewards_that_are_scaled_on_purpose(environment: str) -> None:
    found = ppo(fault="rewards scaled", environment=environment, steps=192).recovered
    assert found is not None
    (critic,), (policy,) = found.values, found.policies
    assert critic.source == ""
    assert (critic.gamma, critic.lam) == pytest.approx((0.97, 0.9), abs=1e-3)
    assert policy.correlation == pytest.approx(1.0, abs=1e-3)


@pytest.mark.parametrize(
    ("fault", "name"), [("rewards flipped", "sign of the reward flipped"), ("rewards lost", "reward left out")]
)
def test_rewards_of_the_other_sign_or_none(fault: str, name: str) -> None:
    found = ppo(fault=fault, environment="Pendulum-v1").recovered
    assert found is not None
    assert [each.source for each in found.values] == [name]


def test_advantages_that_run_forwards_and_episodes_that_are_turned_round() -> None:
    for sick, right in ((continuous("forwards"), continuous()), (episodic("never reversed"), episodic())):
        assert sick.recovered is not None
        assert [each.source for each in sick.recovered.values] == ["time not reversed"]
        assert right.recovered is not None
        assert [each.source for each in right.recovered.values] == [""]
