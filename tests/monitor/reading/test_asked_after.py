"""Values asked after each step, behind a normaliser that starts with nothing: read whole, and right ones are silent."""

from __future__ import annotations

import pytest

from tests.monitor.reading.asked_after import train
from tests.monitor.reading.continuous_ppo import GAMMA, LAMBDA
from tests.monitor.reading.listening import judge_updates
from weaklink.base.evidence.recovered import LIMIT, OWN_NEXT
from weaklink.base.finding import Level

pytestmark = pytest.mark.slow


def list_severe(findings):
    return [each.message for each in findings if (each.level or Level.ERROR) >= Level.WARN]


def test_a_right_one_is_left_alone_and_what_its_targets_go_on_with_is_read():
    rollouts, findings = judge_updates(train, {})
    assert list_severe(findings) == []
    for rollout in rollouts:
        (critic,) = rollout.recovered.values
        assert (critic.gamma, critic.lam) == pytest.approx((GAMMA, LAMBDA), abs=1e-4)
        assert {end.place: end.goes_on_with for end in critic.ends}[LIMIT] == OWN_NEXT
        assert rollout.estimates is not None


def test_a_column_that_bounds_cut_off_for_ever_is_named():
    _, findings = judge_updates(lambda: train(3, cut_for_ever=True), {})
    assert any("column 4 is always 5" in message for message in list_severe(findings))
