"""Updates that were read badly: whatever is missing or broken, nothing is raised and nobody is accused."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from tests.monitor.reading.ppo import Options, update
from tests.monitor.reading.replay import learn_atoms, learn_dqn, learn_quantiles, learn_sac
from weaklink.base.evidence.update import UNMATCHED, HeadAnswer, HeadCall, Tape, UpdateReading
from weaklink.collect.monitor.assembly import assemble_rollout
from weaklink.judge.diagnosis.engine import judge_rollout

Change = Callable[[UpdateReading], UpdateReading]


@cache
def readings() -> dict[str, UpdateReading]:
    small = {"steps": 32, "epochs": 2, "minibatch": 32}
    return {
        "choices": update(Options(**small))[0],
        "gaussian": update(Options(environment="Pendulum-v1", **small))[0],
        "action values": learn_dqn(steps=2).reading,
        "actor and critics": learn_sac(steps=2).reading,
        "atoms": learn_atoms(steps=2).reading,
        "quantiles": learn_quantiles(steps=2).reading,
    }


def change_calls(change: Callable[[HeadCall], HeadCall]) -> Change:
    return lambda reading: replace(reading, calls=tuple(map(change, reading.calls)))


def change_answers(change: Callable[[HeadAnswer], HeadAnswer]) -> Change:
    return lambda reading: replace(reading, answers=tuple(map(change, reading.answers)))


def change_tape(change: Callable[[Tape], Tape]) -> Change:
    return lambda reading: replace(reading, tape=change(reading.tape))


def shorten(call: HeadCall, rows: int) -> HeadCall:
    parts = {name: getattr(call, name)[:rows] for name in ("inputs", "outputs", "gradients", "rows")}
    return replace(call, **parts)


DAMAGES: dict[str, Change] = {
    "nothing called": lambda reading: replace(reading, calls=()),
    "nothing answered": lambda reading: replace(reading, answers=()),
    "no parameters": lambda reading: replace(reading, parameters=()),
    "gradients are NaN": change_calls(lambda call: replace(call, gradients=np.full_like(call.gradients, np.nan))),
    "gradients are infinite": change_calls(lambda call: replace(call, gradients=np.full_like(call.gradients, np.inf))),
    "gradients are zero": change_calls(lambda call: replace(call, gradients=np.zeros_like(call.gradients))),
    "gradients are one": change_calls(lambda call: replace(call, gradients=np.ones_like(call.gradients))),
    "outputs are constant": change_calls(lambda call: replace(call, outputs=np.ones_like(call.outputs))),
    "rows unknown": change_calls(lambda call: replace(call, rows=np.full_like(call.rows, UNMATCHED))),
    "half of the rows unknown": change_calls(
        lambda call: replace(call, rows=np.where(np.arange(len(call.rows)) % 2, UNMATCHED, call.rows))
    ),
    "one row a call": change_calls(lambda call: shorten(call, 1)),
    "no row a call": change_calls(lambda call: shorten(call, 0)),
    "answers of unknown rows": change_answers(
        lambda each: replace(
            each, rows=np.full_like(each.rows, UNMATCHED), next_rows=np.full_like(each.rows, UNMATCHED)
        )
    ),
    "answers are NaN": change_answers(lambda each: replace(each, outputs=np.full_like(each.outputs, np.nan))),
    "rewards are NaN": change_tape(lambda tape: replace(tape, rewards=np.full_like(tape.rewards, np.nan))),
    "two actions a row, and rows unknown": lambda reading: DAMAGES["rows unknown"](
        replace(reading, tape=replace(reading.tape, actions=np.repeat(reading.tape.actions.reshape(-1, 1), 2, axis=1)))
    ),
    "every step ends": change_tape(lambda tape: replace(tape, terminated=np.ones_like(tape.terminated))),
    "every step is a filler": change_tape(lambda tape: replace(tape, fillers=np.ones_like(tape.fillers))),
    "one member too many": change_tape(lambda tape: replace(tape, members=tape.rows)),
}


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("name", DAMAGES)
def test_nothing_is_raised_and_nobody_accused(name: str) -> None:
    for kind, reading in readings().items():
        answers = judge_rollout(assemble_rollout(DAMAGES[name](reading), 0.0, {"gamma": 0.97, "gae_lambda": 0.9}))
        assert not answers.unable, (kind, answers.unable)
        if name not in ("every step ends", "gradients are one", "outputs are constant"):
            assert not [finding.message for _, finding in answers.fired if kind in ("choices", "gaussian")], kind
