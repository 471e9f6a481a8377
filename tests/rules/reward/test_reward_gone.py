from __future__ import annotations

import numpy as np

from tests.curves import noisy, rising, run_of
from weaklink.base.finding import CannotTell
from weaklink.judge.rules.reward.reward_gone import reward_gone

SUCCESS = rising(0.1, 0.9, 0.02)


def cut(values, at=60):
    """The same, and nothing from some row on."""
    return np.where(np.arange(len(values)) < at, values, 0.0)


def sick():
    return [
        run_of({"reward.episode_return": cut(rising(0.1, 0.8, 0.05)), "task.success_rate": SUCCESS}),
        run_of(
            {
                "reward.episode_return": cut(noisy(3, 0.5)),
                "reward.mean": cut(noisy(0.1, 0.02)),
                "task.success_rate": noisy(0.4, 0.05),
            }
        ),
    ]


def healthy():
    return [
        # a policy that is lost: nothing succeeds, and nothing is paid
        run_of({"reward.episode_return": cut(noisy(0.5, 0.05)), "task.success_rate": cut(noisy(0.5, 0.05))}),
        run_of({"reward.episode_return": rising(-5, 0, 0.1), "task.success_rate": SUCCESS}),
        # nothing was ever paid by this name, or one of both still is
        run_of({"reward.episode_return": np.zeros(100), "task.success_rate": SUCCESS}),
        run_of(
            {
                "reward.episode_return": noisy(3, 0.5),
                "reward.mean": cut(noisy(0.1, 0.02)),
                "task.success_rate": SUCCESS,
            }
        ),
        # a few windows without a success in the middle, and a late one
        run_of({"reward.episode_return": cut(noisy(1, 0.1), at=95), "task.success_rate": SUCCESS}),
    ]


def test_it_says_from_when_on():
    found = reward_gone(sick()[0])
    assert "is exactly 0 in all 40 rows" in found.message
    assert "of the episodes still succeed" in found.message


def test_without_successes_it_cannot_tell():
    assert isinstance(reward_gone.rule.ask(run_of({"reward.episode_return": cut(noisy(1, 0.1))})), CannotTell)
