from __future__ import annotations

from tests.curves import noisy, ramp, rising, run_of

FLAT = noisy(-1200, 40)


def sick():
    return [
        run_of({"action.saturated_fraction": noisy(0.95, 0.01), "reward.episode_return": FLAT}),
        run_of({"action.saturated_fraction": ramp(0.0, 0.9), "reward.episode_return": FLAT}),
        # no policy has learned that before its first update
        run_of({"action.saturated_fraction": noisy(0.99, 0.002), "reward.episode_return": rising(-1200, -200)}),
    ]


def healthy():
    return [
        run_of({"action.saturated_fraction": noisy(0.2, 0.02), "reward.episode_return": FLAT}),
        # pushing as hard as possible is right in some tasks
        run_of({"action.saturated_fraction": ramp(0.1, 0.9), "reward.episode_return": rising(-1200, -200)}),
        # a number of actions, and no share of them
        run_of({"action.saturated_fraction": noisy(40, 2), "reward.episode_return": FLAT}),
    ]
