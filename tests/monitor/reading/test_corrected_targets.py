"""An actor-critic whose targets are corrected for the older policy that acted: it is read, and its faults are named."""

from __future__ import annotations

import pytest

from tests.monitor.reading.listening import judge_updates
from tests.monitor.reading.v_trace import train

NAMED = {
    "ratio inverted": ("RET202", "returns", "ratio inverted"),
    "ends ignored": ("RET203", "returns", "bootstrap through a terminal"),
    "sign flipped": ("POL205", "policy", "opposite sign"),
}


@pytest.mark.parametrize("cut", ["", "not cut"])
def test_what_it_does_is_recovered(cut: str) -> None:
    rollouts, findings = judge_updates(lambda: train(cut), {})
    assert findings == []
    read = [rollout.recovered for rollout in rollouts if rollout.update in (2, 3)]  # before, the copy is no older
    assert read
    for update in read:
        assert update is not None
        (critic,), (policy,) = update.values, update.policies
        assert (critic.gamma, critic.lam, critic.weight) == pytest.approx((0.95, 1.0, 1.0), abs=1e-4)
        assert policy.correlation == pytest.approx(1.0, abs=1e-6)
        assert policy.entropy_weight == pytest.approx(0.01, abs=1e-4)


@pytest.mark.parametrize("fault", NAMED)
def test_its_faults_are_named(fault: str) -> None:
    code, link, words = NAMED[fault]
    _, found = judge_updates(lambda: train(fault), {}, most=3)
    corrected = [each for each in found if each.code != "RET201"]  # of the first update, when the copy is no older
    assert {(each.code, str(each.link)) for each in corrected} == {(code, link)}
    assert words in corrected[0].message
