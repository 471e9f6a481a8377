from __future__ import annotations

from weaklink.base.evidence.config import Config
from weaklink.base.loop import Link
from weaklink.judge.rules.exploration.noise_weight import noise_weight


def sick():
    return [
        Config.of(each)
        for each in (
            {"algo": "ppo", "ent_coef": 0.5},
            {"algo": "sac", "ent_coef": 10.0},
            {"log_std_init": 3.0},
            {"action_noise": 5.0},
        )
    ]


def healthy():
    return [
        Config.of(each)
        for each in (
            {"algo": "ppo", "ent_coef": 0.01, "log_std_init": -2.0},
            {"algo": "sac", "ent_coef": 0.2, "target_entropy": -6},
            {"algo": "sac", "ent_coef": "auto"},
            {"algo": "td3", "exploration_noise": 0.1},
        )
    ]


def test_actions_that_are_drawn_beyond_their_range_are_a_fault_of_the_actions():
    links = [noise_weight.rule.ask(config).link for config in sick()]
    assert links == [Link.EXPLORATION, Link.EXPLORATION, Link.ACTION, Link.EXPLORATION]
