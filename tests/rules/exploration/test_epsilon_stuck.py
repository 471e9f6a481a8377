from __future__ import annotations

import numpy as np

from tests.curves import noisy, ramp, run_of
from weaklink.judge.diagnosis.engine import diagnose

FLAT = np.random.default_rng(0).normal(20.0, 2.0, 100)


def made(epsilon, returns=FLAT, **config):
    curves = {"exploration.epsilon": epsilon, "reward.episode_return": returns, "task.episode_length": [20.0] * 100}
    return run_of(curves, config)


def sick():
    floor = np.maximum(np.linspace(1.0, 0.2, 100), 0.9)  # the schedule ends there
    return [
        made(floor),
        made([0.6] * 100),
        made([1.0] * 100),
        made(np.linspace(1.0, 0.92, 100)),
        made([1.0] * 100, total_timesteps=250_000),
    ]


def healthy():
    return [
        made(np.linspace(1.0, 0.05, 100)),
        made([0.1] * 100),
        # a schedule that still falls
        made(np.linspace(1.0, 0.6, 100)),
        made([0.6] * 100, np.linspace(20.0, 400.0, 100) + FLAT),
        # somebody evaluates without random actions, or the noise is no share of actions
        made([1.0] * 100, np.linspace(20.0, 400.0, 100) + FLAT),
        made([5.0] * 100),
        # episodes are long and few, and the schedule has just begun
        run_of(
            {"exploration.epsilon": np.linspace(1.0, 0.98, 20), "task.episode_length": [1000.0] * 20},
            {"total_timesteps": 10_000_000},
        ),
    ]


def test_a_success_that_never_comes_follows_from_it():
    curves = {"reward.episode_return": noisy(-460, 10), "task.success_rate": np.zeros(100)}
    told = diagnose(run_of({**curves, "exploration.epsilon": ramp(1.0, 0.98)}, {"total_timesteps": 204_800}))
    assert told.first_break.code == "EXP309"
    assert {one.code: one.consequence_of for one in told.findings}["EVA304"] == "EXP309"
