"""The value of each action by what heads of numbers and of distributions put out, and how actions follow it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch

from tests.monitor.reading.replay import learn_atoms, learn_dqn, learn_quantiles
from weaklink.base.evidence.recovered import ATOMS, QUANTILES, RecoveredValues
from weaklink.base.evidence.update import COLLECTING, UNMATCHED, HeadAnswer, UpdateReading
from weaklink.collect.monitor.reading.acting import read_choices
from weaklink.collect.monitor.reading.recovering import recover_update
from weaklink.collect.monitor.reading.tape_rows import TakenActions
from weaklink.collect.monitor.reading.valued_choices import make_scorer

LEARNED = {"numbers": learn_dqn, "atoms": learn_atoms, "quantiles": learn_quantiles}
WORTH = {
    "numbers": lambda outputs: outputs,
    "atoms": lambda outputs: (outputs.view(-1, 2, 21).softmax(2) * torch.linspace(0.0, 20.0, 21)).sum(2),
    "quantiles": lambda outputs: outputs.view(-1, 2, 16).mean(2),
}


def read(kind: str) -> tuple[UpdateReading, RecoveredValues]:
    reading = LEARNED[kind]().reading
    reading = replace(reading, tape=replace(reading.tape, choices=2))
    return reading, recover_update(reading, {}).update.values[0]


@pytest.mark.parametrize("kind", LEARNED)
def test_actions_are_compared_as_the_trainer_compares_them(kind: str) -> None:
    reading, critic = read(kind)
    outputs = reading.of_head(critic.head)[0].outputs
    score = make_scorer(reading, critic)
    assert score is not None
    right = WORTH[kind](torch.as_tensor(outputs)).numpy()
    assert np.array_equal(score(outputs).argmax(axis=1), right.argmax(axis=1))


@pytest.mark.parametrize("kind", LEARNED)
def test_steps_that_follow_a_distribution_are_told_from_random_ones(kind: str) -> None:
    reading, critic = read(kind)
    outputs = np.concatenate([call.outputs for call in reading.of_head(critic.head)])[:32]
    best = WORTH[kind](torch.as_tensor(outputs)).numpy().argmax(axis=1)
    rows, nowhere = np.arange(reading.tape.rows - 32, reading.tape.rows), np.full(1, UNMATCHED)
    stamps = [(outputs[each : each + 1], int(reading.tape.stamps[row])) for each, row in enumerate(rows)]
    asked = tuple(
        HeadAnswer(critic.head, COLLECTING, 0, np.zeros((1, 4)), given, nowhere, nowhere, stamp)
        for given, stamp in stamps
    )
    calls = tuple(replace(call, stamp=stamps[-1][1]) for call in reading.calls)
    reading = replace(reading, answers=asked, calls=calls)
    for actions, share in ((best, 0.0), (1 - best, 1.0)):
        table = np.zeros((reading.tape.rows, 1), np.int64)
        table[rows, 0] = actions
        seen = read_choices(reading, TakenActions(table, True), [critic])
        assert seen is not None
        assert (seen.random, seen.steps) == (share, 32)


@pytest.mark.parametrize(("kind", "name"), [("atoms", ATOMS), ("quantiles", QUANTILES)])
def test_a_distribution_is_known_where_some_action_was_never_taken(kind: str, name: str) -> None:
    reading, _ = read(kind)
    tape = reading.tape
    kept = np.asarray(tape.actions).ravel() == 0
    calls = [(call, kept[call.rows]) for call in reading.calls]
    some = tuple(
        replace(
            call, inputs=call.inputs[own], outputs=call.outputs[own], gradients=call.gradients[own], rows=call.rows[own]
        )
        for call, own in calls
    )
    reading = replace(reading, calls=some, tape=replace(tape, actions=np.zeros_like(tape.actions)))
    assert [values.kind for values in recover_update(reading, {}).update.values] == [name]
