from __future__ import annotations

from weaklink.base.evidence.config import Config

LONG = {"algo": "dqn", "target_update_interval": 20_000, "total_timesteps": 50_000}


def sick():
    return [
        Config.of(each)
        for each in (
            {"algo": "sac", "tau": 1e-6},
            {"algo": "sac", "tau": 1.0},
            {"algo": "dqn", "target_update_interval": 1},
            LONG,
        )
    ]


def healthy():
    return [
        Config.of(each)
        for each in (
            {"algo": "sac", "tau": 0.005, "target_update_interval": 1},
            {"algo": "dqn", "tau": 1.0, "target_update_interval": 500, "total_timesteps": 50_000},
            {"algo": "dqn", "target_update_interval": 10_000, "total_timesteps": 1_000_000},
        )
    ]
