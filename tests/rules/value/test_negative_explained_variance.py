from __future__ import annotations

from tests.curves import noisy, ramp, rising, run_of


def sick():
    return [
        run_of({"value.explained_variance": noisy(-0.4, 0.1), "reward.episode_return": noisy(20, 2)}),
        run_of({"value.explained_variance": noisy(-3.0, 0.4), "reward.episode_return": ramp(100, 20, 3)}),
        run_of({"value.explained_variance": noisy(-1.0, 0.1)}),
    ]


def healthy():
    # A2C crosses zero a third of the time; a solved CartPole explains minus a thousand; a slow start that recovers
    return [
        run_of({"value.explained_variance": noisy(0.15, 0.4), "reward.episode_return": noisy(150, 10)}),
        run_of({"value.explained_variance": noisy(-1000, 300), "reward.episode_return": rising(20, 495)}),
        run_of({"value.explained_variance": rising(-0.6, 0.8), "reward.episode_return": noisy(-200, 1)}),
    ]
