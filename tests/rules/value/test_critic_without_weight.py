from __future__ import annotations

from weaklink.base.evidence.config import Config


def sick():
    return [
        Config.of({"algo": "ppo", "vf_coef": 0.0}),
        Config.of({"algo": "hand PPO", "vf": 0}),
        Config.of({"algo": "a2c", "value_loss_coef": -0.5}),
    ]


def healthy():
    return [
        Config.of({"algo": "ppo", "vf_coef": 0.5}),
        Config.of({"algo": "ppo", "vf_coef": 1e-3}),
        # a critic with an optimizer of its own
        Config.of({"algo": "ppo", "vf_coef": 0.0, "critic_lr": 1e-3}),
        # TRPO fits its critic apart from the policy
        Config.of({"algo": "trpo", "vf_coef": 0.0}),
        # a language model without a critic
        Config.of({"algo": "grpo", "vf_coef": 0.0}),
        Config.of({"algo": "dqn", "vf_coef": 0.0}),
    ]
