from __future__ import annotations

from weaklink.base.evidence.config import Config

LATE = {"algo": "td3", "total_timesteps": 5000, "policy_delay": 1_000_000_000}


def sick():
    return [Config.of(LATE), Config.of({**LATE, "policy_delay": 5000})]


def healthy():
    return [
        Config.of({**LATE, "policy_delay": 2}),
        # many gradient steps for each step of the environment
        Config.of({**LATE, "policy_delay": 8000, "gradient_steps": 20}),
    ]
