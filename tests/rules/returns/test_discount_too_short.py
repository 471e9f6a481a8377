from __future__ import annotations

from tests.curves import run_of
from weaklink.base.finding import Level
from weaklink.judge.rules.returns.discount_too_short import discount_too_short


def made(gamma, length, **more):
    return run_of({"task.episode_length": [length] * 30}, {"gamma": gamma, "algo": "dqn", **more})


def sick():
    return [made(0.0, 188.0), made(0.0, 8.0), made(0, 2.5), made(0.9, 1000.0)]


def healthy():
    return [
        made(0.99, 1000.0),
        made(0.9, 50.0),
        # a bandit ends after each decision
        made(0.0, 1.0),
        made(1.0, 500.0),
        # what gamma means for a language model is another matter
        made(0.0, 100.0, algo="grpo"),
    ]


def test_a_short_horizon_is_worth_knowing_and_none_at_all_is_an_alarm():
    assert discount_too_short.rule.ask(made(0.9, 1000.0)).severity is Level.INFO
    assert discount_too_short.rule.ask(made(0.0, 8.0)).severity is Level.WARN
