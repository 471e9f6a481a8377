"""What could not be read of an update: nothing of right trainers, and all that follows no estimator that is known."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from tests.monitor.reading import continuous_ppo
from tests.monitor.reading.actor_critic import train
from tests.monitor.reading.densities import train as learn_densities
from tests.monitor.reading.episodic import train as learn_episodes
from tests.monitor.reading.listening import read_updates
from tests.monitor.reading.many_choices import train as learn_choices
from tests.monitor.reading.online import train as learn_online
from tests.monitor.reading.ppo import Options, update
from tests.monitor.reading.replay import learn_dqn, learn_sac
from tests.monitor.reading.replay_loops import learn_soft
from tests.monitor.reading.side_by_side import train as learn_side_by_side
from tests.monitor.reading.told_past import train as learn_told
from tests.monitor.reading.unrolled import train as learn_unrolled
from tests.sparing import spare
from weaklink.base.evidence.update import UNMATCHED, UpdateReading
from weaklink.collect.monitor.reading.recovering import recover_update
from weaklink.collect.monitor.reading.unread import list_unread


def read_ppo() -> UpdateReading:
    return update(Options(steps=64, epochs=3, minibatch=64))[0]


RIGHT: dict[str, Callable[[], UpdateReading]] = {
    "ppo": read_ppo,
    "short rollouts": lambda: read_updates(lambda: train("", 40, 0.01, 40), most=3)[2],
    "side by side": lambda: read_updates(lambda: learn_side_by_side(""))[-1],
    "episodes": lambda: read_updates(lambda: learn_episodes("", 3))[-1],
    "two optimizers of one loss": lambda: read_updates(lambda: learn_episodes("together", 3))[-1],
    "continuous actions": lambda: read_updates(lambda: continuous_ppo.train(""))[-1],
    "a head for each choice": lambda: read_updates(learn_choices)[-1],
    "a Beta distribution of two heads": lambda: read_updates(lambda: learn_densities("beta"))[-1],
    "a Beta distribution of one head": lambda: read_updates(lambda: learn_densities("beta one head, exp"))[-1],
    "means and spreads of two heads": lambda: read_updates(lambda: learn_densities("gaussian"))[-1],
    "a memory, unrolled": lambda: read_updates(lambda: learn_unrolled(updates=20), most=3)[-1],
    "a memory, by a method": lambda: read_updates(lambda: learn_unrolled(updates=20, by_method=True), most=3)[-1],
    "single steps": lambda: read_updates(learn_online, most=2)[1],
    "a memory, told its past": lambda: read_updates(learn_told)[-1],
    "dqn": lambda: learn_dqn().reading,
    "sac": lambda: learn_sac().reading,
    "sac with stretched actions": lambda: read_updates(lambda: learn_soft("stretched", 216))[-1],
    "and their own density": lambda: read_updates(lambda: learn_soft("stretched, its own density", 216))[-1],
}


def describe(reading: UpdateReading) -> str:
    return "; ".join(list_unread(reading, recover_update(reading, {}).update))


IN_WHOLE = ("a memory, by a method", "a Beta distribution of one head")
"""Both are read in tests of what is recovered too."""


@pytest.mark.parametrize("name", spare(RIGHT, lambda name: name not in IN_WHOLE))
def test_right_trainers_are_read_whole(name: str) -> None:
    assert not describe(RIGHT[name]())


def test_rows_that_nobody_collected_are_said() -> None:
    reading = read_ppo()
    lost = tuple(replace(call, rows=np.full(len(call.rows), UNMATCHED)) for call in reading.calls)
    assert "were not found among what was collected" in describe(replace(reading, calls=lost))


def test_targets_of_no_known_estimator_are_said() -> None:
    reading, draws = read_ppo(), np.random.default_rng(0)
    offsets = draws.normal(size=reading.tape.rows)  # another reward than the tape has, in every row
    calls = tuple(
        replace(call, gradients=call.gradients + (offsets[call.rows] / len(call.rows))[:, None])
        if call.outputs.shape[1] == 1
        else call
        for call in reading.calls
    )
    told = describe(replace(reading, calls=calls))
    assert "follow no estimator" in told
    assert "follow the advantages of no estimator" in told


def test_actions_that_were_not_taken_are_said() -> None:
    assert "are not those that were taken" in describe(read_updates(lambda: learn_soft("never stored", 216))[-1])


def test_a_critic_that_is_climbed_has_a_loss_of_its_own_to_be_read():
    reading = RIGHT["sac with stretched actions"]()
    unbounded = replace(reading, tape=replace(reading.tape, bounds=None))  # then nobody knows what was drawn
    assert "what the loss asks of" in describe(unbounded)
