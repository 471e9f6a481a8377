from __future__ import annotations

from weaklink.base.evidence.config import Config


def sick():
    return [Config.of(each) for each in ({"algo": "ppo", "gae_lambda": 0.0}, {"algo": "ppo", "lam": 0.2})]


def healthy():
    return [Config.of(each) for each in ({"algo": "ppo", "gae_lambda": 0.8}, {"algo": "ppo", "lam": 1.0})]
