from __future__ import annotations

from weaklink.base.evidence.config import Config


def sick():
    return [
        Config.of(each)
        for each in (
            {"algo": "ppo", "ent_coef": 0.5},
            {"algo": "sac", "ent_coef": 10.0},
            {"log_std_init": 3.0},
            {"action_noise": 5.0},
        )
    ]


def healthy():
    return [
        Config.of(each)
        for each in (
            {"algo": "ppo", "ent_coef": 0.01, "log_std_init": -2.0},
            {"algo": "sac", "ent_coef": 0.2, "target_entropy": -6},
            {"algo": "sac", "ent_coef": "auto"},
            {"algo": "td3", "exploration_noise": 0.1},
        )
    ]
