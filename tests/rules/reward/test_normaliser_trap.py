from __future__ import annotations

import pytest

from weaklink.base.evidence.config import Config
from weaklink.base.finding import CannotTell, Level
from weaklink.judge.rules._registry import find_rule

RULE = find_rule("REW120")
ON = {"algo": "ppo", "normalize": True}


def sick():
    return [
        Config.of({**ON, "clip_reward": 10.0, "reward_max": 100.0}),
        Config.of({**ON, "eval_env_training": True}),
        Config.of({**ON, "save_vecnormalize": False}),
        Config.of({**ON, "normalizer_warmup": 0}),
        Config.of({**ON, "gamma": 0.9, "normalize_kwargs": {"gamma": 0.99}}),
    ]


def healthy():
    return [
        Config.of({**ON, "clip_reward": 150.0, "reward_max": 100.0, "eval_env_training": False}),
        Config.of({"algo": "ppo", "normalize": False, "clip_reward": 10.0, "reward_max": 100.0}),
        # rewards are not normalised, so nothing clips them
        Config.of({"normalize": "dict(norm_obs=True, norm_reward=False)", "clip_reward": 10.0, "reward_max": 100.0}),
        Config.of({**ON, "gamma": 0.9, "normalize_kwargs": {"gamma": 0.9}}),
        Config.of({**ON, "clip_rewards": True, "reward_max": 100.0}),
        Config.of(ON),
    ]


def test_an_evaluation_in_training_mode_is_an_alarm():
    assert RULE.ask(sick()[1]).level is Level.WARN
    assert all(RULE.ask(config).level is Level.INFO for config in (sick()[0], *sick()[2:]))


@pytest.mark.parametrize("raw", [{"algo": "ppo"}, ON])
def test_says_what_is_missing(raw):
    assert isinstance(RULE.ask(Config.of(raw)), CannotTell)
