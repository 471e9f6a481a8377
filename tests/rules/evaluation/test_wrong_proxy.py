from __future__ import annotations

from tests.curves import noisy, ramp, rising, run_of


def sick():
    return [
        run_of({"reward.mean": ramp(0.9, 0.5, 0.02), "evaluation.score": rising(0.3, 0.6)}),
        run_of({"reward.episode_return": ramp(300, 120, 8), "reward.human_score": ramp(0.2, 0.7, 0.02)}),
    ]


def healthy():
    return [
        run_of({"reward.mean": rising(0.2, 0.9), "evaluation.score": rising(0.3, 0.6)}),
        run_of({"reward.mean": ramp(0.9, 0.5, 0.02), "evaluation.score": ramp(0.6, 0.3, 0.02)}),
        run_of({"reward.mean": noisy(0.5, 0.05), "evaluation.score": rising(0.3, 0.6)}),
        run_of({"reward.mean": ramp(0.9, 0.5, 0.02), "evaluation.score": noisy(0.4, 0.05)}),
    ]
