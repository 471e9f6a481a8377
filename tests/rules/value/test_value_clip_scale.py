from __future__ import annotations

import pytest

from weaklink.base.evidence.config import Config
from weaklink.base.finding import CannotTell, Level
from weaklink.judge.rules._registry import find_rule

RULE = find_rule("VAL101")


def sick():
    return [
        Config.of({"algo": "PPO", "vf_clip_param": 10.0, "return_scale": 500}),
        Config.of({"algo": "ppo", "clip_range_vf": 0.2, "reward_max": 1.0, "gamma": 0.99}),
        Config.of({"algo": "ppo", "clip_vloss": True, "clip_coef": 0.2, "reward_threshold": 475.0}),
        Config.of({"algo": "ppo", "clip_range_vf": 0.0}),
    ]


def healthy():
    return [
        Config.of({"algo": "PPO", "vf_clip_param": 10.0, "return_scale": 21}),
        Config.of({"algo": "ppo", "clip_vloss": False, "clip_coef": 0.2, "reward_threshold": 475.0}),
        Config.of({"algo": "ppo", "clip_range_vf": 0.4, "norm_reward": True, "reward_threshold": 475.0}),
        Config.of({"algo": "ppo", "clip_range_vf": -1, "return_scale": 500}),
        Config.of({"algo": "ppo", "clip_range_vf": 5.0, "reward_max": 1.0, "gamma": 0.999, "max_episode_steps": 20}),
    ]


def test_is_never_an_alarm():
    assert all(RULE.ask(config).level is Level.INFO for config in sick())


@pytest.mark.parametrize("raw", [{"algo": "ppo"}, {"algo": "ppo", "clip_range_vf": 0.2}, {"clip_range_vf": True}])
def test_says_what_is_missing(raw):
    assert isinstance(RULE.ask(Config.of(raw)), CannotTell)
