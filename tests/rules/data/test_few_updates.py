from __future__ import annotations

from weaklink.base.evidence.config import Config

DQN = {"algo": "dqn", "total_timesteps": 50_000, "learning_starts": 1000, "train_freq": 4, "batch_size": 64}


def sick():
    return [Config.of(each) for each in ({**DQN, "learning_starts": 40_000}, {**DQN, "train_freq": 5000})]


def healthy():
    return [
        Config.of(each)
        for each in (
            DQN,
            {**DQN, "train_freq": 256, "gradient_steps": 128},
            {"algo": "ppo", "total_timesteps": 50_000, "learning_starts": 40_000},
        )
    ]
