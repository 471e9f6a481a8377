from __future__ import annotations

from tests.curves import noisy, rising, run_of, step_change


def sick():
    return run_of(
        {"exploration.action_std_min": step_change(0.6, 0.002, at=0.2), "reward.episode_return": noisy(-900, 20)}
    )


def healthy():
    return [
        run_of(
            {"exploration.action_std": rising(1.0, 0.005, spread=0.0), "reward.episode_return": rising(-1200, -150)}
        ),
        run_of({"exploration.action_std_min": noisy(0.3, 0.01), "reward.episode_return": noisy(-900, 20)}),
    ]
