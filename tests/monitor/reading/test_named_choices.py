"""Action values whose choices are numbers that an environment of continuous actions is given, such as torques."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.monitor.reading.replay import learn_dqn
from weaklink.base.evidence.recovered import ACTION_VALUES
from weaklink.base.evidence.update import UpdateReading
from weaklink.collect.monitor.reading.critics import recover_critic
from weaklink.collect.monitor.reading.recovering import recover_update
from weaklink.collect.monitor.reading.tape_rows import read_actions
from weaklink.collect.monitor.reading.unread import list_unread

TORQUES = np.array([[1.5], [-2.0]], np.float32)  # in no order


def read(shuffled: bool = False) -> UpdateReading:
    reading = learn_dqn().reading
    chosen = np.asarray(reading.tape.actions).reshape(-1)
    chosen = np.random.default_rng(0).permutation(chosen) if shuffled else chosen
    return replace(reading, tape=replace(reading.tape, actions=TORQUES[chosen], choices=0))


def test_each_has_an_entry_of_its_own() -> None:
    plain = recover_update(learn_dqn().reading, {}).update.values[0]
    (named,) = recover_update(read(), {}).update.values
    assert named.kind == ACTION_VALUES
    assert (named.gamma, named.weight) == pytest.approx((plain.gamma, plain.weight))
    assert (named.compared, named.other) == (plain.compared, 0.0)
    assert list_unread(read(), recover_update(read(), {}).update) == ()


def test_entries_that_belong_to_no_action_are_not_read() -> None:
    reading = read(shuffled=True)
    calls = list(reading.of_head(reading.heads[0]))
    assert recover_critic(reading, calls, read_actions(reading.tape), {}) is None
