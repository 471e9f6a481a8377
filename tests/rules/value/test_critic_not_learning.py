from __future__ import annotations

import numpy as np

from tests.curves import noisy, ramp, rising, run_of, step_change
from weaklink.judge.diagnosis.engine import diagnose


def sick():
    return [
        run_of({"value.explained_variance": noisy(1e-7, 1e-8), "reward.episode_return": noisy(-5.5, 0.2)}),
        run_of({"value.residual_variance": noisy(0.99, 0.01), "reward.episode_return": noisy(20, 2)}),
        run_of(
            {"value.loss": step_change(30.0, 3000.0, spread=5.0), "reward.episode_return": ramp(100, 5, 3)},
        ),
        # beyond any value that the rewards allow, under a return that never moves
        run_of({"value.q_loss": np.exp(np.linspace(0, 16, 100)), "reward.episode_return": noisy(-200, 10)}),
    ]


def healthy():
    # a critic that knows nothing beside a return that climbs; a loss that grows with the return; nothing to explain
    return [
        run_of({"value.explained_variance": noisy(1e-4, 1e-5), "reward.episode_return": rising(-9750, -1310)}),
        run_of({"value.loss": ramp(5, 500, 5), "reward.episode_return": rising(20, 500)}),
        run_of({"value.explained_variance": noisy(0.0, 1e-9), "reward.episode_return": np.full(100, -200.0)}),
        run_of({"value.explained_variance": rising(0.0, 0.8), "reward.episode_return": noisy(20, 2)}),
        # a loss of 0.7 beside returns of over a thousand, and one that grows with a critic that starts at zero
        run_of({"value.loss": step_change(0.01, 0.7, spread=1e-3), "reward.episode_return": ramp(1250, 600, 20)}),
        run_of({"value.q_loss": step_change(0.1, 40.0, spread=0.05), "reward.episode_return": noisy(-200, 10)}),
    ]


def test_a_runaway_value_loss_is_told_as_such():
    finding = next(f for f in diagnose(sick()[2]).findings if f.code == "VAL304")
    assert "grows from" in finding.message
