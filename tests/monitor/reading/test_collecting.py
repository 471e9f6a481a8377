"""What networks are given and what is learned: codes, and observations that are all alike, accuse nobody."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.monitor.reading.ppo import Options, update
from tests.monitor.reading.replay import learn_dqn
from weaklink.base.evidence.flaw_kinds import LEARNED_NEXT, SATURATED_INPUTS
from weaklink.base.evidence.recovered import CHOICES, RecoveredPolicy
from weaklink.base.evidence.update import UNMATCHED, UpdateReading
from weaklink.collect.monitor.reading.collecting import find_collecting_flaws
from weaklink.collect.monitor.reading.misplaced import find_misplaced
from weaklink.collect.monitor.reading.tape_rows import read_actions


def give(make: object, update: int = 2) -> UpdateReading:
    """An update whose network is given something else than the observations."""
    reading = learn_dqn("mse").reading
    calls = [replace(call, inputs=make(call.inputs)) for call in reading.calls]  # type: ignore[operator]
    return replace(reading, calls=tuple(calls), update=update)


def cut_off(inputs: np.ndarray) -> np.ndarray:
    return np.clip(100.0 * inputs, -1.0, 1.0)


def code(inputs: np.ndarray) -> np.ndarray:
    return (inputs > np.median(inputs, axis=0)).astype(np.float32)


def code_each(inputs: np.ndarray) -> np.ndarray:
    return np.concatenate([code(inputs), 1.0 - code(inputs), inputs], axis=1)


@pytest.mark.parametrize(
    ("make", "flaws"),
    [
        (cut_off, [SATURATED_INPUTS]),
        (lambda inputs: inputs, []),
        (code, []),
        (code_each, []),
    ],
)
def test_codes_are_no_observations_that_are_cut_off(make: object, flaws: list[str]) -> None:
    assert [flaw.kind for flaw in find_collecting_flaws(give(make)) if flaw.kind == SATURATED_INPUTS] == flaws


def test_a_normaliser_that_has_seen_nothing_before_the_first_update_accuses_nobody() -> None:
    assert [flaw.kind for flaw in find_collecting_flaws(give(cut_off, update=1))] == []


def test_observations_that_are_all_alike_do_not_tell_the_last_of_an_episode() -> None:
    reading = update(Options(steps=64, epochs=1, minibatch=64))[0]
    taken, policy = read_actions(reading.tape), RecoveredPolicy(head="actor", kind=CHOICES)
    ended = reading.tape.terminated | reading.tape.truncated
    last = reading.tape.next_observations[ended]

    def learn(observations: np.ndarray) -> list[str]:
        """What is found where the policy learns from last observations, and actions are chosen in these."""
        tape = replace(reading.tape, observations=observations)
        calls = [
            replace(call, inputs=np.resize(last, call.inputs.shape), rows=np.full_like(call.rows, UNMATCHED))
            for call in reading.calls
        ]
        found, _ = find_misplaced(replace(reading, tape=tape, calls=tuple(calls)), taken, [policy], None)
        return [flaw.kind for flaw in found if flaw.kind == LEARNED_NEXT]

    assert learn(reading.tape.observations) == [LEARNED_NEXT]
    assert learn(np.resize(last, reading.tape.observations.shape)) == []
