"""A user's own class or policy on the ladder, and a model that is watched without being handed over."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("stable_baselines3")

import gymnasium
from stable_baselines3 import PPO
from stable_baselines3.common.buffers import RolloutBuffer
from stable_baselines3.common.policies import ActorCriticPolicy

from weaklink.adapters.gymnasium.probe import ProbeEnvironment
from weaklink.adapters.sb3.own_class import list_own_parts, make_trainer_like
from weaklink.adapters.sb3.watch import watch_next
from weaklink.collect.probes.catalogue import find_probe
from weaklink.collect.readers import read
from weaklink.verbs.attach import Monitor

SMALL = {"n_steps": 32, "batch_size": 32, "n_epochs": 1, "device": "cpu"}


class OwnAlgorithm(PPO):
    """Counts its updates."""

    updates = 0

    def train(self) -> None:
        OwnAlgorithm.updates += 1
        super().train()


class OwnPolicy(ActorCriticPolicy):
    """Nothing is different."""


class OwnBuffer(RolloutBuffer):
    """Nothing is different."""


def a_model(kind: type[PPO] = PPO, policy: object = "MlpPolicy", **settings: object) -> PPO:
    return kind(policy, gymnasium.make("CartPole-v1"), **{**SMALL, **settings})


def test_own_classes_are_known() -> None:
    assert list_own_parts(a_model()) == ()
    assert list_own_parts(a_model(OwnAlgorithm)) == ("OwnAlgorithm",)
    assert list_own_parts(a_model(policy=OwnPolicy, rollout_buffer_class=OwnBuffer)) == ("OwnPolicy", "OwnBuffer")


def test_the_ladder_trains_the_own_class_with_its_own_settings() -> None:
    train = make_trainer_like(a_model(OwnAlgorithm, OwnPolicy, learning_rate=10.0))
    OwnAlgorithm.updates = 0
    agent = train(lambda: ProbeEnvironment(find_probe("TwoActions")), 256, 0)
    assert OwnAlgorithm.updates > 0
    assert isinstance(agent.model, OwnAlgorithm)
    assert isinstance(agent.model.policy, OwnPolicy)
    assert agent.model.learning_rate < 1.0
    assert agent.model.gamma == 0.9
    assert train.traits.guessed


def test_the_next_model_that_learns_is_watched(tmp_path: Path) -> None:
    before = PPO._init_callback
    with Monitor(tmp_path / "run", sinks=(), tracker="none") as monitor:
        monitor.until_closed(watch_next(monitor.watcher))
        a_model().learn(96)
    assert PPO._init_callback is before
    run = read(tmp_path / "run")
    assert run.framework == "sb3"
    assert run.checked
    assert run.last_step >= 32
