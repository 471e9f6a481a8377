from __future__ import annotations

from weaklink.base.evidence.config import Config

SHORT = {"algo": "dqn", "total_timesteps": 10_000, "buffer_size": 100, "batch_size": 64}


def sick():
    return [Config.of(SHORT), Config.of({**SHORT, "algo": "sac", "total_timesteps": 100_000, "buffer_size": 999})]


def healthy():
    return [
        Config.of({**SHORT, "buffer_size": 10_000}),
        # a short training of a small task keeps all of it
        Config.of({**SHORT, "total_timesteps": 2000, "buffer_size": 500}),
        Config.of({"algo": "ppo", "total_timesteps": 10_000, "buffer_size": 100}),
    ]
