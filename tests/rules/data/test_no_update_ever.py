from __future__ import annotations

import pytest

from weaklink.base.evidence.config import Config
from weaklink.base.finding import CannotTell, Level
from weaklink.judge.rules._registry import find_rule

RULE = find_rule("DAT101")


def sick():
    return [
        Config.of({"algo": "dqn", "total_timesteps": 10_000, "learning_starts": 50_000}),
        Config.of(
            {"algo": "sac", "n_timesteps": 10_000, "learning_starts": 100, "buffer_size": 128, "batch_size": 256}
        ),
        Config.of({"algo": "dqn", "total_timesteps": 1000, "learning_starts": 10, "train_freq": 4000}),
        Config.of({"algo": "sac", "total_timesteps": 1000, "learning_starts": 10, "gradient_steps": 0}),
        Config.of({"exp_name": "ppo", "total_timesteps": 1000, "num_steps": 128, "num_envs": 16}),
        Config.of({"algo": "ppo", "total_timesteps": 1000, "n_epochs": 0}),
    ]


def healthy():
    return [
        Config.of(
            {"algo": "dqn", "n_timesteps": 50_000, "learning_starts": 1000, "buffer_size": 100_000, "batch_size": 64}
        ),
        Config.of(
            {"algo": "sac", "n_timesteps": 50_000, "learning_starts": 100, "train_freq": 1, "gradient_steps": -1}
        ),
        Config.of({"algo": "td3", "n_timesteps": 50_000, "learning_starts": 100, "train_freq": [1, "episode"]}),
        Config.of({"algo": "sac", "n_timesteps": 50_000, "learning_starts": 0}),
        # stable-baselines finishes the rollout that it has begun
        Config.of({"algo": "ppo", "total_timesteps": 1000, "n_steps": 2048, "n_envs": 1}),
        Config.of({"algo": "grpo", "max_steps": -1}),
        # max_steps may be the length of an episode, start_steps only makes actions random
        Config.of({"algo": "dqn", "max_steps": 200, "learning_starts": 1000}),
        Config.of({"algo": "sac", "total_steps": 5000, "start_steps": 10_000}),
        Config.of({"algo": "dqn", "n_timesteps": -1, "learning_starts": 1000}),
    ]


def test_is_proof():
    answer = RULE.ask(sick()[0])
    assert answer.level is Level.ERROR
    assert answer.onset is None
    assert "50,000" in answer.message


@pytest.mark.parametrize(
    "raw", [{"algo": "dqn"}, {"algo": "ppo"}, {"seed": 1}, {"algo": "sac", "total_timesteps": 1000}]
)
def test_says_what_is_missing(raw):
    assert isinstance(RULE.ask(Config.of(raw)), CannotTell)
