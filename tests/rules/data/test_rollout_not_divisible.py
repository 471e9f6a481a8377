from __future__ import annotations

import pytest

from weaklink.base.evidence.config import Config
from weaklink.base.finding import CannotTell, Level
from weaklink.judge.rules._registry import find_rule

RULE = find_rule("DAT102")


def sick():
    return [
        Config.of({"algo": "ppo", "n_steps": 100, "n_envs": 3, "batch_size": 64}),
        Config.of({"algo": "PPO", "train_batch_size": 4000, "sgd_minibatch_size": 128}),
        Config.of({"algo": "ppo", "num_steps": 5, "num_envs": 5, "num_minibatches": 4}),
    ]


def healthy():
    return [
        Config.of({"algo": "ppo", "n_steps": 2048, "n_envs": 1, "batch_size": 64}),
        Config.of({"algo": "ppo", "n_steps": 2048, "batch_size": 64}),
        Config.of(
            {
                "algo": "ppo",
                "num_steps": 128,
                "num_envs": 4,
                "num_minibatches": 4,
                "batch_size": 512,
                "minibatch_size": 128,
            }
        ),
        Config.of({"algo": "a2c", "n_steps": 5, "n_envs": 3, "batch_size": 64}),
        Config.of({"algo": "sac", "n_steps": 5, "n_envs": 3, "batch_size": 64}),
        # the steps of all environments together, and a mere piece of a rollout
        Config.of({"algo": "ppo", "step_per_collect": 512, "n_envs": 3, "batch_size": 256}),
        Config.of({"algo": "ppo", "time_horizon": 50, "num_envs": 3, "batch_size": 64}),
    ]


def test_is_never_an_alarm():
    assert all(RULE.ask(config).level is Level.INFO for config in sick())


@pytest.mark.parametrize("raw", [{"n_steps": 5}, {"algo": "ppo"}, {"algo": "ppo", "n_steps": 100, "batch_size": 64}])
def test_says_what_is_missing(raw):
    assert isinstance(RULE.ask(Config.of(raw)), CannotTell)
