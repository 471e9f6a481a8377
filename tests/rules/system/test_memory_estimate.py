from __future__ import annotations

import pytest

from weaklink.base.evidence.config import Config
from weaklink.base.finding import CannotTell, Level
from weaklink.judge.rules._registry import find_rule

RULE = find_rule("SYS101")
ATARI = {"algo": "dqn", "policy": "CnnPolicy", "buffer_size": 1_000_000, "obs_dim": 84 * 84 * 4}


def sick():
    return Config.of({"algo": "sac", "buffer_size": 10**15, "obs_dim": 376})


def healthy():
    return [
        Config.of({"algo": "sac", "buffer_size": 100_000, "obs_dim": 17}),
        Config.of({"algo": "ppo", "n_steps": 2048, "n_envs": 4, "obs_dim": 17}),
    ]


def test_counts_bytes_as_the_buffer_stores_them():
    answer = RULE.ask(Config.of(ATARI), {"gigabytes": 32.0})
    assert answer.level is Level.INFO
    assert "52.6 GiB" in answer.message
    assert RULE.ask(Config.of({**ATARI, "optimize_memory_usage": True}), {"gigabytes": 32.0}) is None


@pytest.mark.parametrize(
    "raw", [{"buffer_size": 1e6}, {"obs_dim": 17}, {"algo": "grpo", "obs_dim": 17, "buffer_size": 9}]
)
def test_says_what_is_missing(raw):
    assert isinstance(RULE.ask(Config.of(raw)), CannotTell)
