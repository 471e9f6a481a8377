from __future__ import annotations

from weaklink.base.evidence.config import Config
from weaklink.base.finding import Level
from weaklink.judge.rules._registry import find_rule


def sick():
    return [
        Config.of({"algo": "ppo", "target_kl": 0.015, "clip_range": 0.1}),
        Config.of({"algo": "ppo", "target_kl": 0.015, "clip_range": 0.2, "clip_range_final": 0.05}),
        Config.of({"algo": "ppo", "target_kl": 0.01, "clip_range": "lin_0.2"}),
    ]


def healthy():
    return [
        Config.of({"algo": "ppo", "target_kl": 0.03, "clip_range": 0.1}),
        Config.of({"algo": "ppo", "target_kl": 0.01, "clip_range": 0.2}),
        Config.of({"algo": "ppo", "target_kl": None, "clip_range": "lin_0.1"}),
        Config.of({"algo": "ppo", "target_kl": 0, "clip_range": 0.1}),
        # targets that steer a penalty or the learning rate do not stop an update
        Config.of({"algo": "PPO", "kl_target": 0.01, "clip_param": 0.1}),
        Config.of({"algo": "ppo", "desired_kl": 0.01, "clip_param": 0.1}),
    ]


def test_is_never_an_alarm():
    assert all(find_rule("POL101").ask(config).level is Level.INFO for config in sick())
