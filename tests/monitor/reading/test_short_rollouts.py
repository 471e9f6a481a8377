"""An actor-critic that learns every few steps: what it does is recovered, and its faults are named."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.monitor.reading.actor_critic import train
from tests.monitor.reading.episodic import train as learn_episodes
from tests.monitor.reading.listening import judge_updates, read_updates
from tests.recoveries import actor_critic, look_at
from tests.sharing import share
from tests.sparing import spare
from weaklink.base.evidence.rollout import Rollout
from weaklink.base.evidence.update import UNMATCHED
from weaklink.collect.monitor.reading.fresh_rows import count_stale
from weaklink.judge.diagnosis.engine import judge_rollout

NAMED = {
    "sums forwards": ("RET202", "returns", "time not reversed"),
    "rows kept": ("DAT205", "data", "belong to an earlier rollout"),
    "no bootstrap": ("RET203", "returns", "no bootstrap at the last step"),
    "first value": ("RET203", "returns", "the value of the first observation of the rollout"),
    "not detached": ("RET202", "policy", "advantage not detached"),
    "order kept": ("RET202", "returns", "time not reversed"),
    "reward flipped": ("RET202", "reward", "sign of the reward flipped"),
    "sign flipped": ("POL205", "policy", "opposite sign"),
    "cut off": ("RET202", "value", "cuts its values off below zero"),
    "late observation": ("POL204", "data", "the action of the step before"),
}


def test_what_it_does_is_recovered() -> None:
    found = actor_critic().recovered
    assert found is not None
    (critic,), (policy,) = found.values, found.policies
    assert (critic.gamma, critic.lam, critic.weight) == pytest.approx((0.95, 1.0, 1.0), abs=1e-4)
    assert policy.entropy_weight == pytest.approx(0.01, abs=1e-4)
    assert policy.correlation == pytest.approx(1.0, abs=1e-6)
    assert {end.goes_on_with for end in critic.ends} <= {"nothing", "the value of its own next observation"}


@pytest.mark.parametrize("limit", [40, 6])
def test_a_right_one_is_left_alone(limit: int) -> None:
    assert judge_rollout(actor_critic(limit=limit)).fired == []


def test_a_time_limit_at_the_end_of_a_rollout() -> None:
    ((_, found),) = judge_rollout(actor_critic("next episode", limit=6)).fired
    assert (found.code, str(found.link)) == ("RET203", "returns")
    assert "At each time limit" in found.message
    assert "the value of the next episode" in found.message


@share
def longer(fault: str, rollout: int, constant: bool) -> Rollout:
    """The second reading of one with rollouts of so many steps, after which it need not go on."""
    return look_at(read_updates(lambda: train(fault, 40, rollout=rollout, constant=constant), most=2)[1])


# the other pairs in `make test-whole`: rewards that differ are in most other tests here
@pytest.mark.parametrize(
    ("rollout", "constant"),
    spare([(30, True), (30, False), (60, True), (60, False)], lambda case: case == (30, True)),
)
def test_one_that_learns_from_episodes(rollout: int, constant: bool) -> None:
    assert judge_rollout(longer("reward scaled", rollout, constant)).fired == []
    right = longer("", rollout, constant)
    assert judge_rollout(right).fired == []
    assert right.recovered is not None
    assert right.recovered.values[0].gamma == pytest.approx(0.95, abs=1e-3)
    faults = {"sums forwards": "time not reversed", "not detached, normalised": "advantage not detached"}
    if constant:
        faults["reward flipped"] = "sign of the reward flipped"
    for fault, words in faults.items():
        (found,) = (each for _, each in judge_rollout(longer(fault, rollout, constant)).fired)
        assert (found.code, words in found.message) == ("RET202", True), found.message


@pytest.mark.parametrize("fault", NAMED)
def test_its_faults_are_named(fault: str) -> None:
    code, link, words = NAMED[fault]
    found = [finding for _, finding in judge_rollout(actor_critic(fault)).fired]
    assert [(each.code, str(each.link)) for each in found] == [(code, link)]
    assert words in found[0].message


def test_a_replay_buffer_that_reaches_back_further_than_the_tape_is_no_rollout() -> None:
    """Most of its rows are on no tape, and would look as if they had just been collected."""
    reading = read_updates(lambda: train("rows kept", 40, 0.01, 40), most=3)[2]
    assert count_stale(reading, on_policy=True)[1] > 0
    random = np.random.default_rng(0)
    calls = [
        replace(call, rows=np.where(random.random(len(call.rows)) < 0.5, UNMATCHED, call.rows))
        for call in reading.calls
    ]
    assert count_stale(replace(reading, calls=tuple(calls)), on_policy=True) == (0, 0)


@pytest.mark.parametrize("fault", ["unpaid", "together, unpaid"])
def test_rewards_of_nothing_tell_no_discount_and_accuse_nobody(fault: str) -> None:
    rollouts, findings = judge_updates(lambda: learn_episodes(fault, 4), {"gamma": 0.97})
    assert findings == []
    read = [values for each in rollouts if each.recovered is not None for values in each.recovered.values]
    assert read
    assert all(values.gamma is None and not values.all_alike for values in read)
