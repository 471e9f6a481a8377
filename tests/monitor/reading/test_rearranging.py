"""Targets of other rows, and targets that no estimator makes."""

from __future__ import annotations

import pytest

from tests.recoveries import ppo

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
