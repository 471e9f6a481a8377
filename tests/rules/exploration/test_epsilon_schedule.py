from __future__ import annotations

from weaklink.base.evidence.config import Config


def sick():
    return [
        Config.of(each)
        for each in (
            {"exploration_final_eps": 0.9},
            {"eps_start": 0.0, "eps_end": 0.0},
            {"algo": "dqn", "exploration_fraction": 0.0},
            {"exploration_fraction": 0.01, "total_timesteps": 10_000},
        )
    ]


def healthy():
    return [
        Config.of(each)
        for each in (
            {"eps_start": 1.0, "eps_end": 0.05},
            {"exploration_fraction": 0.1, "exploration_final_eps": 0.01},
            {"exploration_fraction": 0.01, "total_timesteps": 1_000_000},
            {"exploration_fraction": 0.1, "total_timesteps": 1_000},
        )
    ]
