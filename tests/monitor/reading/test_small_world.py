"""Replay where observations repeat: steps that are alike are one, and what the losses ask for is read and judged."""

from __future__ import annotations

import numpy as np
import pytest

from tests.monitor.reading.listening import judge_readings, judge_updates, read_updates
from tests.monitor.reading.small_world import train
from tests.sharing import share
from tests.sparing import spare
from weaklink.base.evidence.update import UNMATCHED, UpdateReading
from weaklink.base.loop import Link
from weaklink.collect.monitor.reading.unread import list_unread

NAMED = {
    ("ends ignored", False): ("RET202", "done ignored"),
    ("ends ignored", True): ("RET202", "done ignored"),
    ("goes down", True): ("POL205", "looks for the worst action of its critic"),
    ("entropy punished", True): ("VAL208", ""),
}


@share
def read(soft: bool) -> list[UpdateReading]:
    return read_updates(lambda: train(soft=soft))


@pytest.mark.parametrize("soft", [False, True])
def test_what_it_does_is_recovered(soft: bool) -> None:
    readings = read(soft)
    rollouts, findings = judge_readings(readings, {})
    assert findings == []
    for rollout, reading in zip(rollouts, readings, strict=True):
        assert rollout.recovered is not None
        assert list_unread(reading, rollout.recovered) == ()
        assert [values.gamma for values in rollout.recovered.values] == pytest.approx([0.9, 0.9][: 1 + soft], abs=1e-4)
        if soft:
            assert [values.soft for values in rollout.recovered.values] == pytest.approx([0.05, 0.05], abs=1e-4)
            assert rollout.recovered.climbs[0].weight == pytest.approx(-1.0, abs=1e-4)


def test_cells_that_are_numbers_are_known_by_what_stands_for_them() -> None:
    readings = read_updates(lambda: train(numbered=True))
    rollouts, findings = judge_readings(readings, {})
    assert findings == []
    for rollout, reading in zip(rollouts, readings, strict=True):
        assert rollout.recovered is not None
        assert list_unread(reading, rollout.recovered) == ()
    _, found = judge_updates(lambda: train("ends ignored", numbered=True), {}, most=3)
    assert "done ignored" in found[0].message


def test_cells_of_which_several_are_one_input_are_told() -> None:
    _, found = judge_updates(lambda: train("rows alone", numbered=True), {}, most=3)
    assert {(each.code, str(each.link)) for each in found} == {("OBS202", "observation")}
    assert "15 different states" in found[-1].message
    assert "4 different inputs" in found[-1].message


def test_windows_of_several_steps_that_are_alike_are_one() -> None:
    readings = read_updates(lambda: train(count=2))
    rollouts, findings = judge_readings(readings, {})
    assert findings == []
    for rollout, reading in zip(rollouts, readings, strict=True):
        assert rollout.recovered is not None
        assert list_unread(reading, rollout.recovered) == ()
        assert [values.gamma for values in rollout.recovered.values] == pytest.approx([0.9], abs=1e-3)


def test_windows_that_run_through_ends_are_told_from_those_that_end_with_them() -> None:
    _, found = judge_updates(lambda: train("windows run on", count=3), {}, most=3)
    assert {each.code for each in found} == {"DAT206"}
    assert "run through the ends of episodes" in found[0].message
    assert found[0].link is Link.RETURNS


def test_rows_are_steps_with_the_same_reward_and_end() -> None:
    reading = read(False)[-1]
    tape = reading.tape
    (call, *_) = reading.calls
    known = call.rows != UNMATCHED
    assert known.mean() > 0.6  # others differ by a time limit
    assert len(np.unique(tape.observations, axis=0)) < 0.1 * tape.rows  # nearly no row could be told from others
    assert np.array_equal(tape.observations[call.rows[known]], call.inputs[known])
    moved = np.abs(call.gradients[known]).argmax(axis=1)
    assert np.array_equal(np.asarray(tape.actions).ravel()[call.rows[known]], moved)


# ends are those of the same buffer for both
@pytest.mark.parametrize(("fault", "soft"), spare(NAMED, lambda case: case != ("ends ignored", True)))
def test_its_faults_are_named(fault: str, soft: bool) -> None:
    code, words = NAMED[fault, soft]
    _, found = judge_updates(lambda: train(fault, soft), {}, most=3)
    assert {each.code for each in found if each.code != "RET203"} == {code}  # which names the same, by its ends
    assert words in found[0].message
