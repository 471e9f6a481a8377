from __future__ import annotations

from tests.curves import noisy, rising, run_of


def sick():
    return run_of({"policy.clip_fraction": noisy(0.62, 0.05), "reward.episode_return": noisy(20, 2)})


def healthy():
    # an early burst of clipping, and a steady 0.35 while the return climbs
    return [
        run_of({"policy.clip_fraction": noisy(0.12, 0.03), "reward.episode_return": rising(20, 400)}),
        run_of({"policy.clip_fraction": noisy(0.35, 0.03), "reward.episode_return": rising(20, 400)}),
    ]
