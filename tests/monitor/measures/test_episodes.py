from __future__ import annotations

import numpy as np
import pytest

from tests.monitor.measures import cases
from weaklink.collect.monitor.measures.episodes import (
    LONGEST_TRACE,
    find_whole_episodes,
    measure_episode_lengths,
    trace_last_episode,
)


def slow_episodes(ended):
    found = []
    for number, column in enumerate(cases.columns(ended)):
        start = None
        for now, end in enumerate(column):
            if end:
                if start is not None:
                    found.append((start, now, number))
                start = now + 1
    return found


@cases.each_shape
@cases.each_seed
@pytest.mark.parametrize("ends", [0.0, 0.1, 0.5, 1.0])
def test_whole_episodes_agree_with_plain_loops(shape, seed, ends):
    *_, terminated, truncated = cases.experience(shape, seed, ends)
    ended = terminated | truncated
    slow = slow_episodes(ended)
    assert sorted(zip(*(each.tolist() for each in find_whole_episodes(ended)), strict=True)) == sorted(slow)
    assert sorted(measure_episode_lengths(ended).tolist()) == sorted(last - first + 1 for first, last, _ in slow)


@cases.each_shape
@cases.each_seed
def test_the_trace_is_that_of_the_episode_that_ended_last(shape, seed):
    rewards, values, _, terminated, truncated = cases.experience(shape, seed)
    ended = terminated | truncated
    slow = slow_episodes(ended)
    found = trace_last_episode(values, rewards, ended)
    if not slow:
        assert found is None
        return
    latest = max(last for _, last, _ in slow)
    possible = [
        [float(each) for each in cases.columns(values)[number][first : last + 1]]
        for first, last, number in slow
        if last == latest
    ]
    assert any(found["values"] == pytest.approx(each, rel=1e-5) for each in possible)
    assert found["length"] == len(found["rewards"]) == len(found["values"])
    assert found["first"] == 0


def test_a_trace_by_hand():
    ended = np.array([1, 0, 0, 1, 0], bool)
    found = trace_last_episode([9.0, 0.81, 0.9, 1.0, 7.0], [0.0, 0.0, 0.0, 1.0, 0.0], ended)
    assert found == {"values": [0.81, 0.9, 1.0], "rewards": [0.0, 0.0, 1.0], "length": 3, "first": 0}


def test_of_a_long_episode_the_end_is_traced():
    ended = np.zeros(3000, bool)
    ended[[0, 2999]] = True
    found = trace_last_episode(np.arange(3000), np.zeros(3000), ended)
    assert (found["length"], found["first"], len(found["values"])) == (2999, 1999, LONGEST_TRACE)
    assert found["values"][-1] == 2999.0


def test_no_trace_without_a_whole_episode():
    assert trace_last_episode(np.zeros(5), np.zeros(5), np.array([0, 0, 1, 0, 0], bool)) is None
    assert trace_last_episode([], [], []) is None
    assert measure_episode_lengths([]).size == 0
