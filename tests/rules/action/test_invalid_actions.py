from __future__ import annotations

from tests.curves import noisy, ramp, rising, run_of
from weaklink.base.finding import CannotTell
from weaklink.judge.rules.action.invalid_actions import invalid_actions


def sick():
    return [
        run_of({"action.invalid_fraction": noisy(0.8, 0.02), "reward.episode_return": rising(0.5, 0.8)}),
        run_of({"action.invalid_fraction": noisy(5.0, 0.1), "task.episode_length": noisy(6.0, 0.0)}),
    ]


def healthy():
    return [
        # it learns what is allowed
        run_of({"action.invalid_fraction": ramp(0.9, 0.4)}),
        run_of({"action.invalid_fraction": noisy(0.1, 0.01)}),
        run_of({"action.invalid_fraction": noisy(5.0, 0.1), "task.episode_length": noisy(200.0, 5.0)}),
    ]


def test_a_number_says_nothing_without_the_length_of_episodes():
    counted = invalid_actions.rule.ask(run_of({"action.invalid_fraction": noisy(5.0, 0.1)}))
    assert isinstance(counted, CannotTell)
