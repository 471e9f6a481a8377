"""Replay trainers written by hand, read from outside: each fault is named under its link, and right ones are silent."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

from tests.monitor.reading.listening import judge_updates, read_updates
from tests.monitor.reading.replay_loops import learn_q, learn_soft
from tests.sparing import spare
from weaklink.base.evidence.update import UNMATCHED
from weaklink.base.finding import Finding, Level
from weaklink.base.loop import Link
from weaklink.collect.monitor.reading.replayed_rows import find_row_flaws
from weaklink.collect.monitor.reading.tape_rows import read_actions

pytestmark = pytest.mark.slow

OF_Q = {
    "action before": (Link.DATA, "the action of the step before"),
    "unfilled": (Link.DATA, "all zeros and were never collected"),
    "cut": (Link.OBSERVATION, "cuts their fractions off"),
    "reset lost": (Link.ENVIRONMENT, "begin with the last observation of the one before"),
    "not detached": (Link.VALUE, "flows through its own target"),
    "largest": (Link.VALUE, "maximum over the actions"),
    "copied": (Link.VALUE, "does not lag: .* moved 1 of the way"),
    "inverted": (Link.RETURNS, "mask inverted"),
}

OF_SOFT = {
    "action before": (Link.DATA, "the action of the step before"),
    "own indices": (Link.DATA, "an action of another row"),
    "reward before": (Link.DATA, "the reward of the step before"),
    "larger twin": (Link.RETURNS, "maximum of the twins"),
    "entropy sign": (Link.VALUE, "sign of the entropy term is wrong"),
    "uncorrected": (Link.POLICY, "correction for tanh is missing"),
    "sampled": (Link.POLICY, "reaches no weight of the actor"),
    "alpha sign": (Link.EXPLORATION, "loss has the wrong sign"),
    "target entropy": (Link.EXPLORATION, "aims at an entropy of 2"),
    "tau swapped": (Link.VALUE, "does not lag: .* moved 0.98 of the way"),
    "cut short": (Link.RETURNS, "truncation treated as termination"),
}

IN_SHORT = ("unfilled", "not detached", "inverted", "own indices", "uncorrected", "alpha sign", "cut short")
"""One of each way through the readings."""


def list_severe(findings: list[Finding]) -> list[Finding]:
    return [found for found in findings if (found.level or Level.ERROR) >= Level.WARN]


@pytest.mark.parametrize("fault", spare(OF_Q, IN_SHORT.__contains__))
def test_faults_of_a_q_learner_are_named(fault: str) -> None:
    link, words = OF_Q[fault]
    _, findings = judge_updates(lambda: learn_q(fault), {}, most=3)
    severe = list_severe(findings)
    assert any(re.search(words, found.message) for found in severe)
    assert {found.link or link for found in severe} == {link}


@pytest.mark.parametrize("fault", spare(OF_SOFT, IN_SHORT.__contains__))
def test_faults_of_a_soft_actor_critic_are_named(fault: str) -> None:
    link, words = OF_SOFT[fault]
    _, findings = judge_updates(lambda: learn_soft(fault), {}, most=3)
    severe = list_severe(findings)
    assert any(re.search(words, found.message) for found in severe)
    assert {found.link or link for found in severe} == {link}


@pytest.mark.parametrize("seed", spare([0, 1], lambda seed: seed == 0))
def test_right_replay_trainers_are_left_alone(seed: int) -> None:
    for train in (lambda: learn_q(seed=seed), lambda: learn_soft(seed=seed)):
        rollouts, findings = judge_updates(train, {})
        assert list_severe(findings) == []
        assert len(rollouts) >= 3
        assert all(rollout.recovered and rollout.recovered.looked for rollout in rollouts)


def test_a_memory_that_begins_with_zeros_is_no_row_of_an_empty_buffer() -> None:
    reading = read_updates(learn_q, most=3)[-1]
    memories = np.random.default_rng(0).normal(size=(len(reading.calls[0].rows), 32))
    memories[::4] = 0.0
    nowhere = np.full(len(memories), UNMATCHED)
    calls = tuple(replace(call, inputs=memories, rows=nowhere) for call in reading.calls)
    assert find_row_flaws(replace(reading, calls=calls), read_actions(reading.tape)) == ()
