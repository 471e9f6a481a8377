from __future__ import annotations

from weaklink.base.evidence.config import Config


def sick():
    return [
        Config.of(each)
        for each in (
            {"max_grad_norm": 1e-6},
            {"weight_decay": 0.5},
            {"vf_coef": 100.0},
            {"algo": "dqn", "batch_size": 1},
        )
    ]


def healthy():
    return [
        Config.of(each)
        for each in (
            {"max_grad_norm": 0.5, "weight_decay": 0.01, "vf_coef": 0.5, "batch_size": 64},
            # a policy that steps by its own line search
            {"algo": "trpo", "max_grad_norm": 0.0},
            # sequences of a language model, gathered over many steps
            {"algo": "grpo", "batch_size": 1, "max_completion_length": 512},
        )
    ]
