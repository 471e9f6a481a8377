from __future__ import annotations

from weaklink.base.evidence.config import Config
from weaklink.base.finding import Level
from weaklink.judge.rules.value.target_never_updated import target_never_updated

LONG = {"algo": "dqn", "total_timesteps": 30_000, "target_update_interval": 10_000_000}


def sick():
    return [Config.of(LONG), Config.of({**LONG, "tau": 1.0}), Config.of({**LONG, "target_update_interval": 30_000})]


def healthy():
    return [
        Config.of({**LONG, "target_update_interval": 500}),
        # it moves softly at every step
        Config.of({**LONG, "tau": 0.005}),
        Config.of({"algo": "ppo", "total_timesteps": 30_000, "target_update_interval": 10_000_000}),
    ]


def test_a_try_is_no_training():
    tried = target_never_updated.rule.ask(Config.of({**LONG, "total_timesteps": 300}))
    assert (tried.level, target_never_updated.rule.ask(Config.of(LONG)).level) == (Level.INFO, Level.WARN)
