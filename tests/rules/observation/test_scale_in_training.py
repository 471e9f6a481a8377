from __future__ import annotations

import numpy as np

from tests.curves import noisy, ramp, rising, run_of, step_change
from weaklink.base.finding import Level
from weaklink.judge.rules.observation.scale_in_training import scale_in_training

FLAT = noisy(20, 1.0)
LEARNING = {"reward.episode_return": rising(-10, 4)}
BLIND = {"value.explained_variance": noisy(-0.05, 0.04), "value.loss": ramp(2, 5, 0.2)}


def columns(*spreads):
    return {f"observation.std.{number}": np.full(100, spread) for number, spread in enumerate(spreads)}


def sick():
    return [
        run_of({"observation.mean": noisy(291_000, 500), "reward.episode_return": FLAT}),
        run_of({"observation.std": np.zeros(100), "reward.episode_return": FLAT}),
        # blind, and a little better than at first
        run_of({"observation.std": np.zeros(100), **LEARNING, **BLIND}),
        # the return improves by what the critic knows nothing of
        run_of({"observation.std": noisy(3300, 100), **LEARNING, **BLIND}),
        # two columns that were to tell the goal
        run_of({**columns(0.9, 0.4, 0.0, 0.0), "reward.episode_return": FLAT}, {"total_timesteps": 200_000}),
        # positions in thousands, velocities in thousandths, and half of the episodes succeed
        run_of({**columns(700.0, 3e-4, 600.0), **LEARNING, "task.success_rate": rising(0.05, 0.45)}),
        # a sensor that dies halfway
        run_of({"observation.std": np.repeat([0.5, 0.0], 50), "reward.episode_return": step_change(200, 20, 3)}),
        run_of({"observation.non_finite": np.repeat([0.0, 3.0], 50), "reward.episode_return": rising(20, 300)}),
    ]


def healthy():
    return [
        run_of({"observation.mean": noisy(0, 0.1), "observation.std": noisy(1, 0.1), "reward.episode_return": FLAT}),
        # a critic that learns sees them normalised
        run_of({"observation.std": noisy(3300, 100), **LEARNING, **BLIND, "value.explained_variance": rising(0, 0.8)}),
        run_of({"observation.std": np.zeros(100), **LEARNING, **BLIND, "value.explained_variance": rising(0, 0.8)}),
        # columns that never change, of a task that is learned without, and early
        run_of({**columns(0.9, 0.4, 0.0), **LEARNING}, {"total_timesteps": 200_000}),
        run_of({**columns(0.9, 0.4, 0.0), "reward.episode_return": FLAT}, {"total_timesteps": 2_000_000}),
        # of different sizes: not that far apart, normalised after logging, solved all the same
        run_of({**columns(700.0, 0.3, 600.0), **LEARNING, "task.success_rate": rising(0.05, 0.45)}),
        run_of({**columns(700.0, 3e-4), **LEARNING, "task.success_rate": rising(0.05, 0.45)}, {"norm_obs": True}),
        run_of({**columns(700.0, 3e-4), **LEARNING, "task.success_rate": rising(0.05, 1.0)}),
        run_of({**columns(700.0, 3e-4), **LEARNING}),
        # the last rows are those of an episode that has just begun
        run_of({"observation.std": np.append(np.full(97, 0.5), np.zeros(3)), "reward.episode_return": FLAT}),
        # pixels
        run_of({"observation.mean": noisy(110, 5), "observation.max": np.full(100, 255.0)}),
        # what is logged is not what the policy is given
        run_of({"observation.mean": noisy(291_000, 500), "reward.episode_return": rising(20, 300)}),
        run_of({"observation.non_finite": np.zeros(100), "observation.std": noisy(1, 0.1)}),
    ]


def test_what_is_no_number_is_an_error():
    assert [scale_in_training.rule.ask(run).level for run in sick()] == [*[Level.WARN] * 7, Level.ERROR]
