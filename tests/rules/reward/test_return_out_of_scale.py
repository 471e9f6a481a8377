from __future__ import annotations

from tests.curves import noisy, rising, run_of


def sick():
    return [
        run_of({"reward.episode_return": noisy(2e-6, 1e-7), "value.loss": noisy(1e-6, 1e-8)}),
        run_of({"reward.episode_return": noisy(-2e5, 5e3), "value.loss": noisy(5e7, 1e6)}),
    ]


def healthy():
    return [
        run_of({"reward.episode_return": noisy(0.0, 0.0), "value.loss": noisy(1e-6, 1e-8)}),
        run_of({"reward.episode_return": rising(-500, 12_000), "value.loss": noisy(5e6, 1e5)}),
        run_of({"reward.episode_return": noisy(-2e5, 5e3), "value.loss": noisy(5e7, 1e6)}, {"norm_reward": True}),
        run_of({"reward.episode_return": noisy(-2e4, 500), "value.loss": noisy(30, 3)}),
    ]
