from __future__ import annotations

import numpy as np

from tests.curves import noisy, ramp, rising, run_of, step_change

COSTS_LESS = {
    "exploration.entropy": step_change(0.69, 1e-4, at=0.5),
    "reward.episode_return": rising(-40, -28),
}


def sick():
    # flat at the floor; and a return that rises later, by a policy that stopped exploring at its first update
    late = np.concatenate((noisy(20, 1, points=40), rising(20, 90, points=60)))
    return [
        run_of({"exploration.entropy": step_change(0.69, 1e-5, at=0.1), "reward.episode_return": np.full(100, -21.0)}),
        run_of({"exploration.entropy": step_change(0.69, 0.003, at=0.03), "reward.episode_return": late}),
        run_of(
            {"exploration.relative_entropy": step_change(0.9, 0.001, at=0.4), "reward.episode_return": ramp(80, 5, 2)}
        ),
        # it loses less, and never gets there
        run_of({**COSTS_LESS, "task.success_rate": np.abs(noisy(0.03, 0.01))}),
    ]


def healthy():
    # solved and then deterministic; differential entropy below zero; low token entropy of a language model
    return [
        run_of({"exploration.entropy": rising(0.69, 0.002, spread=0.0), "reward.episode_return": rising(20, 500)}),
        run_of({"exploration.entropy": ramp(1.4, -2.0, 0.05), "reward.episode_return": noisy(-900, 50)}),
        run_of({**COSTS_LESS, "task.success_rate": rising(0.05, 0.9)}),
        run_of({"exploration.entropy": np.full(100, 0.4), "reward.episode_return": noisy(20, 2)}),
        run_of(
            {
                "exploration.entropy": np.abs(noisy(0.009, 0.0005)),
                "reward.mean": noisy(0.5, 0.02),
                "task.completion_length": noisy(300, 10),
            }
        ),
    ]
