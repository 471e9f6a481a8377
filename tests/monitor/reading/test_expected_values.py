"""Averages over the next choices, with observations that repeat and are given in another form than their own."""

from __future__ import annotations

import pytest

from tests.monitor.reading.listening import judge_updates, read_updates
from tests.monitor.reading.lock_step import train
from tests.sparing import spare
from weaklink.collect.monitor.assembly import assemble_rollout
from weaklink.collect.monitor.reading.unread import list_unread
from weaklink.judge.diagnosis.engine import judge_rollout


@pytest.mark.parametrize(("drawn", "falls"), spare([(0.5, 1e-3), (0.3, 0.0), (1.0, 2e-3)], lambda case: case[0] != 0.3))
def test_an_average_under_some_random_choice_is_read(drawn: float, falls: float) -> None:
    readings = read_updates(lambda: train(drawn=drawn, falls=falls))
    (reading,) = readings[-1:]
    rollout = assemble_rollout(reading, 0.0, {})
    assert rollout.recovered is not None
    assert list_unread(reading, rollout.recovered) == ()
    (values,) = rollout.recovered.values
    assert values.gamma == pytest.approx(0.95, abs=1e-4)
    assert values.weight == pytest.approx(1.0 if values.loss == "huber" else 2.0, rel=1e-3)
    assert [found for each in readings for found in judge_rollout(assemble_rollout(each, 0.0, {})).fired] == []


@pytest.mark.parametrize(
    ("fault", "words"),
    [("mean", "mean over actions"), ("ends ignored", "done ignored")],
)
def test_faults_beside_it_are_named(fault: str, words: str) -> None:
    _, found = judge_updates(lambda: train(fault), {}, most=3)
    assert any(words in each.message for each in found), [each.message for each in found]
