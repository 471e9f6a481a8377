from __future__ import annotations

import numpy as np

from tests.curves import noisy, ramp, rising, run_of, step_change
from weaklink.base.loop import Link
from weaklink.judge.rules.policy.sudden_collapse import sudden_collapse


def _spike_at(curve, at, value):
    spiked = np.array(curve)
    spiked[at : at + 2] = value
    return spiked


def sick():
    fallen = np.concatenate((rising(20, 400, points=60), noisy(15, 2, points=40)))
    return run_of(
        {
            "reward.episode_return": fallen,
            "exploration.entropy": step_change(0.5, 0.01, at=0.6, spread=0.01),
            "policy.kl": _spike_at(np.abs(noisy(0.01, 0.001)), 60, 3.0),
            "value.loss": _spike_at(noisy(20, 1), 60, 9000.0),
        }
    )


def _jumping(level, spread, size, seed):
    """A curve of small updates: every tenth point lies far off."""
    curve = noisy(level, spread, seed=seed, points=1000)
    draws = np.random.default_rng(seed)
    places = draws.choice(1000, 100, replace=False)
    curve[places] += size * draws.uniform(0.5, 1.0, 100)
    return curve


def healthy():
    # a slow decline, a spike that harms nothing, losses that jump all the time, losses that
    # jump because the return fell, and a fall that was made good
    dipped = np.concatenate((rising(20, 400, points=600), noisy(120, 40, points=400)))
    back = np.concatenate((noisy(400, 10, points=40), noisy(100, 10, points=20), noisy(400, 10, points=20)))
    return [
        run_of(
            {
                "reward.episode_return": dipped,
                "policy.loss": _jumping(1.1, 0.1, 3.0, seed=1),
                "value.loss": _jumping(5.7, 0.2, 80.0, seed=2),
                "policy.kl": np.abs(_jumping(1e-4, 5e-5, 0.03, seed=3)),
            }
        ),
        run_of(
            {
                "reward.episode_return": np.concatenate((rising(20, 400, points=60), noisy(15, 2, points=40))),
                "policy.kl": np.abs(noisy(0.01, 0.001)),
                "policy.loss": _spike_at(noisy(0.1, 0.01), 60, 5.0),
                "value.loss": _spike_at(noisy(20, 1), 60, 9000.0),
            }
        ),
        run_of(
            {
                "reward.episode_return": np.concatenate((back, ramp(380, 100, 10, points=20))),
                "policy.kl": _spike_at(np.abs(noisy(0.01, 0.001)), 40, 3.0),
                "value.loss": _spike_at(noisy(20, 1), 40, 9000.0),
            }
        ),
        run_of(
            {
                "reward.episode_return": ramp(400, 50, 8),
                "exploration.entropy": ramp(0.6, 0.3, 0.01),
                "policy.kl": np.abs(noisy(0.01, 0.001)),
                "value.loss": noisy(20, 1),
            }
        ),
        run_of(
            {
                "reward.episode_return": rising(20, 400),
                "policy.kl": _spike_at(np.abs(noisy(0.01, 0.001)), 60, 3.0),
                "value.loss": _spike_at(noisy(20, 1), 60, 9000.0),
            }
        ),
    ]


def test_updates_of_the_usual_size_say_that_the_world_changed():
    curves = {name: series.values for name, series in sick().series.items()}
    assert sudden_collapse.rule.ask(run_of(curves)).link is Link.POLICY
    small = {**curves, "policy.kl": np.abs(noisy(0.01, 0.001))}
    assert sudden_collapse.rule.ask(run_of(small)).link is Link.ENVIRONMENT
