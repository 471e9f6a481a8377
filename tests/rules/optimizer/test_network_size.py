from __future__ import annotations

import pytest

from weaklink.base.evidence.config import Config
from weaklink.base.finding import CannotTell, Level
from weaklink.judge.rules._registry import find_rule

RULE = find_rule("OPT103")


def sick():
    return [
        Config.of({"algo": "ppo", "net_arch": [4, 4]}),
        Config.of({"algo": "ppo", "net_arch": [64, 64], "obs_dim": 5000}),
        Config.of({"algo": "ppo", "net_arch": [16], "n_actions": 40}),
        Config.of({"algo": "sac", "net_arch": [4096, 4096], "obs_dim": 3}),
        Config.of({"algo": "ppo", "net_arch": [64] * 9, "obs_dim": 3}),
        Config.of({"algo": "ppo", "policy_kwargs": "dict(net_arch=[dict(pi=[256, 2], vf=[256, 256])])"}),
        Config.of({"algo": "ppo", "policy_kwargs": {"net_arch": {"pi": [4], "vf": [64]}}}),
        Config.of(
            {"algo": "ppo", "net_arch": [64, 64], "activation_fn": "<class 'torch.nn.modules.activation.Sigmoid'>"}
        ),
        Config.of({"algo": "ppo", "net_arch": [64, 64], "weight_init": "zeros"}),
    ]


def healthy():
    return [
        Config.of({"algo": "ppo", "net_arch": [64, 64], "obs_dim": 4, "n_actions": 2}),
        Config.of({"algo": "sac", "net_arch": [256, 256], "obs_dim": 376, "activation_fn": "nn.ReLU"}),
        Config.of(
            {"algo": "crossq", "policy_kwargs": {"net_arch": {"pi": [256, 256], "qf": [1024, 1024]}}, "obs_dim": 17}
        ),
        Config.of({"algo": "sac", "policy_kwargs": "dict(net_arch=[400, 300])", "obs_dim": 24}),
        Config.of({"algo": "grpo", "net_arch": [1]}),
    ]


def test_is_never_an_alarm():
    assert all(RULE.ask(config).level is Level.INFO for config in sick())


@pytest.mark.parametrize("raw", [{"algo": "ppo"}, {"net_arch": [64, 64]}, {"net_arch": "custom"}, {"net_arch": []}])
def test_without_spaces_it_cannot_tell(raw):
    assert isinstance(RULE.ask(Config.of(raw)), CannotTell)
