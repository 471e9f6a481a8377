from __future__ import annotations

import pytest

from weaklink.collect.monitor.measures.throughput import Throughput


def test_speeds_since_the_last_answer():
    speed = Throughput()
    speed.collected(2048, 2.0)
    speed.collected(2048, 2.0)
    speed.learnt(20_480, 4.0, updates=320)
    assert speed.taken() == pytest.approx({
        "system.collect_time": 4.0,
        "system.actor_samples_per_second": 1024.0,
        "system.learn_time": 4.0,
        "system.learner_samples_per_second": 5120.0,
        "system.learner_steps_per_second": 80.0,
        "system.balance": 5.0,
    })  # fmt: skip
    assert speed.taken() == {}


def test_what_has_no_time_to_it_is_left_out():
    speed = Throughput()
    speed.collected(10, 0.0)
    speed.learnt(64, 0.5)
    assert set(speed.taken()) == {
        "system.learn_time",
        "system.learner_samples_per_second",
        "system.learner_steps_per_second",
    }
    speed.collected(0, 1.0)
    speed.learnt(64, 0.5)
    assert "system.balance" not in speed.taken()
