from __future__ import annotations

from weaklink.base.evidence.config import Config


def sick():
    return [
        Config.of(each)
        for each in (
            {"algo": "ppo", "clip_range": 0.0},
            {"algo": "ppo", "clip": 5},
            {"algo": "a2c", "target_kl": 1e-5},
            {"algo": "ppo", "n_epochs": 200},
        )
    ]


def healthy():
    return [
        Config.of(each)
        for each in (
            {"algo": "ppo", "clip_range": 0.2, "n_epochs": 10, "target_kl": 0.02},
            # a schedule counts by where it starts; epochs of Spinning Up are rollouts
            {"algo": "ppo", "clip_range": "lin_0.2"},
            {"algo": "ppo", "clip_ratio": 0.2, "steps_per_epoch": 4000, "epochs": 80},
        )
    ]
