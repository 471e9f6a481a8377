from __future__ import annotations

from weaklink.base.evidence.config import Config


def sick():
    return [Config.of(each) for each in ({"reward_scale": 1e-6}, {"reward_scaling": 1e5}, {"reward_scale": -1.0})]


def healthy():
    return [Config.of(each) for each in ({"reward_scale": 0.1}, {"reward_scale": 20.0})]
