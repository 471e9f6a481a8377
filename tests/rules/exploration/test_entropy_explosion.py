from __future__ import annotations

import numpy as np

from tests.curves import noisy, ramp, rising, run_of
from weaklink.judge.rules.exploration.entropy_explosion import entropy_explosion


def sick():
    return [
        run_of({"exploration.action_std": ramp(1.07, 1.9, 0.01), "reward.episode_return": ramp(0.63, 0.2, 0.03)}),
        run_of({"exploration.entropy": ramp(0.9, 2.0, 0.02), "reward.episode_return": ramp(0.1, -2.7, 0.2)}),
        run_of({"exploration.action_std": np.exp(ramp(0, 3.0, 0.01)), "reward.episode_return": rising(-1500, -1100)}),
        drowned(ramp(0.3, 0.95)),
    ]


def drowned(share):
    """A policy whose spread grows sixfold while its return rises, and what share of its actions is cut."""
    spread = {"exploration.action_std": np.exp(ramp(0, 1.8, 0.01)), "action.saturated_fraction": share}
    return run_of({**spread, "reward.episode_return": rising(-98, -20)})


def healthy():
    widened = np.concatenate((ramp(1.0, 1.6, 0.01, points=40), ramp(1.6, 0.7, 0.01, points=60)))
    return [
        # wide, and within the bounds; or at the bounds from the start on, where the best actions lie
        drowned(ramp(0.05, 0.3)),
        drowned(ramp(0.9, 0.97)),
        run_of({"exploration.action_std": widened, "reward.episode_return": rising(0.2, 25)}),
        run_of({"exploration.action_std": ramp(1.0, 2.2, 0.01), "reward.episode_return": rising(0.2, 25)}),
        run_of({"exploration.entropy": noisy(1.4, 0.05), "reward.episode_return": ramp(50, 20, 2)}),
    ]


def test_an_entropy_that_is_back_at_its_start_unlearned_what_was_learned_unless_the_return_stays():
    lost = np.append(rising(40, 250, points=72), noisy(24, 1, points=28))
    back = np.append(ramp(0.67, 0.5, 0.005, points=70), noisy(0.69, 0.002, points=30))
    found = entropy_explosion.rule.ask(run_of({"exploration.entropy": back, "reward.episode_return": lost}))
    assert "is back at 0.69" in found.message
    assert found.onset <= 2048 * 72
    for healthy in ({"reward.episode_return": rising(40, 250)}, {"exploration.entropy": ramp(0.67, 0.3, 0.01)}):
        curves = {"exploration.entropy": back, "reward.episode_return": lost, **healthy}
        assert entropy_explosion.rule.ask(run_of(curves)) is None
