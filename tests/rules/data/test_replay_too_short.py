from __future__ import annotations

from weaklink.base.evidence.config import Config
from weaklink.base.finding import Level
from weaklink.judge.rules.data.replay_too_short import replay_too_short

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


def test_a_buffer_of_one_batch_is_a_warning_and_one_of_many_is_not():
    levels = [replay_too_short.rule.ask(Config.of({**SHORT, "batch_size": size})).level for size in (64, 8)]
    assert levels == [Level.WARN, Level.INFO]
