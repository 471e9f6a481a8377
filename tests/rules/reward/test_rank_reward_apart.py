from __future__ import annotations

import numpy as np

from tests.ranked import with_curves
from weaklink.base.finding import CannotTell, Level
from weaklink.judge.rules.reward.rank_reward_apart import COMPLETIONS, EPISODES, rank_reward_apart

RULE = rank_reward_apart.rule


def learn(seed: int, scale: float = 1.0, end: float = 200.0, noise: float = 0.3) -> np.ndarray:
    values = np.linspace(20.0, end, 60)
    return scale * values * np.exp(noise * np.random.default_rng(seed).normal(size=60))


def sick():
    return [
        with_curves(EPISODES, [learn(0), learn(1, 0.2)]),
        with_curves(EPISODES, [learn(0), learn(1), learn(2), learn(3, 0.1)]),
        with_curves(EPISODES, [-learn(0), -learn(1, 3.0)]),
        with_curves(COMPLETIONS, [learn(0)[:24], learn(1)[:24], learn(2, 0.2)[:24]], tasks=("",)),
    ]


def healthy():
    return [
        *(with_curves(EPISODES, [learn(2 * seed), learn(2 * seed + 1)]) for seed in range(20)),
        with_curves(EPISODES, [learn(seed) for seed in range(16)]),
        with_curves(COMPLETIONS, [learn(seed)[:24] for seed in range(4)], tasks=("",)),
        with_curves(EPISODES, [learn(0, 0.01, noise=2.0), learn(1, 0.01, noise=2.0)]),
        with_curves(EPISODES, [learn(0), learn(1, 0.2)], tasks=("Pong-v5", "Breakout-v5")),
    ]


def test_the_rank_is_named():
    finding = RULE.ask(sick()[1])
    assert finding.message.startswith("The returns of rank 3 lie at")
    assert finding.level is Level.WARN


def test_of_tasks_that_are_not_known_it_is_only_information():
    assert RULE.ask(with_curves(EPISODES, [learn(0), learn(1, 0.2)], tasks=("",))).level is Level.INFO
    assert isinstance(RULE.ask(healthy()[-1]), CannotTell)


def test_completions_are_of_one_set_of_data():
    finding = RULE.ask(sick()[-1])
    assert finding.message.startswith("The rewards of rank 2 lie at")
    assert finding.level is Level.WARN
