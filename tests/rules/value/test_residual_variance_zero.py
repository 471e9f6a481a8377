from __future__ import annotations

import numpy as np

from tests.curves import noisy, rising, run_of
from weaklink.base.finding import CannotTell, Level
from weaklink.judge.rules.value.residual_variance_zero import residual_variance_zero

FALLING = 1.09 * np.exp(-8 * np.linspace(0, 1, 100))


def sick():
    gone = 1.0 - np.exp(-9 * np.linspace(0, 1, 100))
    return [
        run_of(
            {"value.residual_variance": 1 - gone, "exploration.entropy": FALLING, "reward.episode_return": noisy(9, 1)}
        ),
        run_of(
            {
                "value.explained_variance": gone,
                "exploration.relative_entropy": FALLING / 1.09,
                "reward.mean": noisy(0, 1),
            }
        ),
    ]


def healthy():
    known = np.full(100, 0.004)
    return [
        # a solved deterministic task
        run_of(
            {"value.residual_variance": known, "exploration.entropy": FALLING, "reward.episode_return": rising(9, 500)}
        ),
        run_of(
            {
                "value.residual_variance": known,
                "exploration.entropy": noisy(0.9, 0.02),
                "reward.episode_return": noisy(9, 1),
            }
        ),
        run_of(
            {
                "value.residual_variance": noisy(0.4, 0.02),
                "exploration.entropy": FALLING,
                "reward.episode_return": noisy(9, 1),
            }
        ),
    ]


def test_a_few_scenarios_that_pay_far_more_are_worth_knowing():
    curves = {
        "value.residual_variance": np.full(100, 0.002),
        "exploration.entropy": noisy(0.9, 0.02),
        "reward.episode_return": noisy(9, 1),
        "returns.target_max": noisy(900, 10),
        "returns.target_mean": noisy(1, 0.1),
        "returns.target_std": noisy(10, 0.2),
    }
    found = residual_variance_zero.rule.ask(run_of(curves))
    assert found.level is Level.INFO
    assert "scenarios" in found.message


def test_cannot_tell_a_solved_task_without_its_return():
    curves = {"value.residual_variance": np.full(100, 0.004), "exploration.entropy": FALLING}
    assert isinstance(residual_variance_zero.rule.ask(run_of(curves)), CannotTell)
