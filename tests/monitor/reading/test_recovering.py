"""Whole trainers, read from outside: what they do is recovered, faults are named, and right ones are left alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
import pytest
from bench.trainers import dqn, ppo

from tests.monitor.reading.listening import judge_readings, judge_updates, read_updates
from tests.monitor.reading.ppo import Options, update
from tests.sharing import share
from tests.sparing import spare
from weaklink.base.evidence.recovered import ACTION_CRITIC, ACTION_VALUES, STATE_VALUES, RecoveredUpdate
from weaklink.base.evidence.update import UpdateReading
from weaklink.collect.monitor.reading.recovering import recover_update

sb3 = pytest.importorskip("stable_baselines3")

SETTINGS = {"gamma": 0.9, "gae_lambda": 0.95, "ent_coef": 0.01, "clip_range": 0.2}
QUIET = {"seed": 0, "device": "cpu"}
REPLAYED = [("DQN", "CartPole-v1"), ("SAC", "Pendulum-v1"), ("TD3", "Pendulum-v1")]
REPLAY = {**QUIET, "learning_starts": 200, "batch_size": 64, "train_freq": 8, "gradient_steps": 8}


IN_SHORT = ("G01", "G04", "B06", "W08", "W23", "W31", "V10", "W12", "W37")
"""One of each way through what is recovered; the sign of a policy is seen where actions are stretched."""


def test_what_a_ppo_does_is_recovered() -> None:
    reading, _ = update(Options(epochs=3, minibatch=64, steps=64))
    found = recover_update(reading, {"gamma": 0.97, "n_epochs": 3, "algo": "ppo"}).update
    assert (found.epochs, found.minibatch) == (3.0, 64)
    assert found.settings == {"gamma": 0.97, "epochs": 3.0}
    (critic,), (policy,) = found.values, found.policies
    assert critic.kind == STATE_VALUES
    assert (critic.gamma, critic.lam, critic.weight) == pytest.approx((0.97, 0.9, 1.0), abs=1e-3)
    assert policy.entropy_weight == pytest.approx(0.01, abs=1e-4)
    assert policy.correlation == pytest.approx(1.0, abs=1e-3)
    assert policy.normalised is True
    assert policy.constant is False
    assert policy.repeated is not None
    assert policy.repeated > 0.7


def read(train: Callable[[], Any]) -> RecoveredUpdate:
    return recover_update(read_updates(train)[-1], {}).update


@pytest.mark.slow
def test_trainers_of_stable_baselines3_with_a_rollout() -> None:
    model = sb3.PPO("MlpPolicy", "CartPole-v1", n_steps=256, n_epochs=4, ent_coef=0.01, **QUIET)
    found = read(lambda: model.learn(512))
    assert (found.values[0].gamma, found.values[0].lam) == pytest.approx((0.99, 0.95), abs=1e-3)
    targets, right = found.values[0].targets, model.rollout_buffer.returns.ravel()
    assert targets is not None
    assert np.mean(np.abs(targets[-len(right) :] - right) < 1e-3 * right.std()) >= 0.99
    assert found.policies[0].entropy_weight == pytest.approx(0.01, abs=1e-4)
    found = read(lambda: sb3.A2C("MlpPolicy", "CartPole-v1", n_steps=64, **QUIET).learn(200))
    assert (found.values[0].gamma, found.values[0].lam) == pytest.approx((0.99, 1.0), abs=1e-3)
    assert found.policies[0].correlation == pytest.approx(1.0, abs=1e-3)


@share
def read_replayed(name: str, environment: str) -> list[UpdateReading]:
    return read_updates(lambda: getattr(sb3, name)("MlpPolicy", environment, **REPLAY).learn(250))


@pytest.mark.slow
@pytest.mark.parametrize(("name", "environment"), REPLAYED)
def test_trainers_of_stable_baselines3_with_replay(name: str, environment: str) -> None:
    found = recover_update(read_replayed(name, environment)[-1], {}).update
    kind, source = (ACTION_VALUES, "max") if name == "DQN" else (ACTION_CRITIC, "min")
    assert {(each.kind, each.source) for each in found.values} == {(kind, source)}
    assert all(each.gamma == pytest.approx(0.99, abs=5e-3) for each in found.values)
    assert [each.other for each in found.values] == [0.0] * len(found.values)
    assert all(each.weight == pytest.approx(-1.0, abs=1e-3) for each in found.climbs)
    assert sum(each.share for each in found.climbs) == pytest.approx(0.0 if name == "DQN" else 1.0, abs=1e-6)
    assert [each.soft is not None for each in found.values] == [name == "SAC"] * len(found.values)


def train_ppo(fault: str, environment: str) -> Callable[[], Any]:
    return lambda: ppo.train(lambda: gymnasium.make(environment), 256, 0, 0.9, fault)


def train_dqn(fault: str) -> Callable[[], Any]:
    return lambda: dqn.train(lambda: gymnasium.make("CartPole-v1"), 120, 0, 0.9, fault)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("fault", "environment", "code", "words"),
    spare(
        [
            ("G01", "Acrobot-v1", "RET202", "time not reversed"),
            ("G04", "CartPole-v1", "RET201", "carried across an episode's end"),
            ("G07", "Acrobot-v1", "RET202", "value target = advantage"),
            ("L01", "CartPole-v1", "POL205", "opposite sign"),
            ("B06", "CartPole-v1", "POL205", "another one each time"),
            ("R01", "Acrobot-v1", "RET202", "sign of the reward flipped"),
            ("V03", "CartPole-v1", "VAL203", "towards one number"),
            ("W07", "Acrobot-v1", "RET201", "gamma applied twice"),
            ("W08", "Acrobot-v1", "OPT203", "gamma was set to 0.9, but the update shows 0.95"),
            ("W23", "Acrobot-v1", "POL204", "in another order"),
            ("W31", "CartPole-v1", "EXP202", "lowers the entropy"),
        ],
        lambda case: case[0] in IN_SHORT,
    ),
)
def test_faults_of_a_ppo_are_named(fault: str, environment: str, code: str, words: str) -> None:
    _, findings = judge_updates(train_ppo(fault, environment), SETTINGS)
    assert [each for each in findings if each.code == code and words in each.message], findings


@pytest.mark.slow
@pytest.mark.parametrize(
    ("fault", "code", "words"),
    spare(
        [
            ("V02", "RET202", "bootstrap from s instead of s'"),
            ("V03", "VAL203", "towards one number"),
            ("V04", "RET202", "gamma times reward less the next value"),
            ("V10", "RET202", "mask inverted"),
            ("R01", "RET202", "sign of the reward flipped"),
            ("W12", "POL204", "another action"),
            ("W37", "RET202", "one maximum for the whole batch"),
            ("W39", "POL204", "all actions towards one target"),
        ],
        lambda case: case[0] in IN_SHORT or case[:2] == ("V03", "VAL203"),
    ),
)
def test_faults_of_a_dqn_are_named(fault: str, code: str, words: str) -> None:
    _, findings = judge_updates(train_dqn(fault), SETTINGS)
    assert [each for each in findings if each.code == code and words in each.message], findings


@pytest.mark.slow
def test_right_trainers_are_left_alone() -> None:
    for train in (train_ppo("", "CartPole-v1"), train_ppo("", "Acrobot-v1"), train_dqn("")):
        rollouts, findings = judge_updates(train, SETTINGS)
        assert findings == []
        assert any("estimates" in each or "targets" in each for each in rollouts)
    replayed = {"gamma": 0.99}
    for name, environment in REPLAYED:
        _, findings = judge_readings(read_replayed(name, environment), replayed)
        assert findings == [], name


@pytest.mark.slow
def test_actions_that_are_stretched_onto_the_bounds_of_the_environment() -> None:
    def train(fault: str) -> Callable[[], Any]:
        return lambda: ppo.train_continuous(lambda: gymnasium.make("Pendulum-v1"), 256, 0, 0.9, fault)

    rollouts, findings = judge_updates(train(""), SETTINGS)
    assert findings == []
    assert rollouts[-1].recovered is not None
    assert rollouts[-1].recovered.policies[0].correlation == pytest.approx(1.0, abs=1e-3)
    _, findings = judge_updates(train("L01"), SETTINGS)
    assert {each.code for each in findings} == {"POL205"}


class ClippedReward(gymnasium.Wrapper):  # type: ignore[type-arg]
    """Rewards between -2 and 2 that differ from row to row."""

    def step(self, action: Any) -> Any:
        state, _, terminated, truncated, info = self.env.step(action)
        return state, float(2.0 * np.sin(100.0 * state[0])), terminated, truncated, info


@pytest.mark.slow
def test_rewards_that_a_trainer_clips_on_purpose_are_not_judged() -> None:
    def train() -> None:
        dqn.train(lambda: ClippedReward(gymnasium.make("CartPole-v1")), 120, 0, 0.9, "R04")

    assert [each for each in judge_updates(train, SETTINGS)[1] if each.code == "RET202"] == []


@pytest.mark.slow
@pytest.mark.whole  # they repeat in a smaller world too
def test_observations_that_repeat_are_not_taken_for_one_another() -> None:
    def make() -> Any:
        return gymnasium.wrappers.FlattenObservation(gymnasium.make("FrozenLake-v1"))

    rollouts, findings = judge_updates(lambda: dqn.train(make, 400, 0, 0.9, ""), SETTINGS)
    assert findings == []
    compared = [value for each in rollouts if each.recovered is not None for value in each.recovered.values]
    assert all(value.other == 0.0 for value in compared)


def test_a_huber_loss_beyond_its_limit_in_all_rows_is_no_actor_that_climbs_a_critic() -> None:
    """Its gradient is one number in all rows, as that of an actor's loss is, but nothing there is given an action."""
    options = Options(steps=64, epochs=3, minibatch=256, value_loss="huber", fault="rewards enlarged")
    read = recover_update(update(options)[0], {}).update
    assert read.climbs == ()
    assert len(read.policies) == 1
