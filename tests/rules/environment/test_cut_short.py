from __future__ import annotations

import numpy as np

from tests.curves import noisy, ramp, rising, run_of, step_change

FEW_SHORTER = np.append([11.9, 11.8, 11.96, 12, 11.9], np.full(45, 12.0))
CARTPOLE = {"env_id": "CartPole-v1"}
MOUNTAIN_CAR = {"env_id": "MountainCar-v0"}
TWELVE = np.where(np.arange(100) % 20, 12.0, 11.0)


LATE = np.arange(40) > 20


def shortened(left, success, returns=-5.0):
    """Episodes that grow shorter as they succeed, and then are over after `left` steps at once."""
    return run_of(
        {
            "task.episode_length": np.where(LATE, left, ramp(90, 30, points=40)),
            "task.success_rate": np.where(LATE, success, ramp(0.1, 0.9, points=40)),
            "reward.episode_return": np.where(LATE, returns, ramp(-10, 3, points=40)),
        }
    )


def sick():
    return [
        # a counter that is not put back
        shortened(4.0, 0.05),
        run_of({"task.episode_length": TWELVE, "reward.episode_return": TWELVE}, CARTPOLE),
        # means that are all one number need few points
        run_of({"task.episode_length": np.full(9, 40.0), "reward.episode_return": np.full(9, -40.0)}, MOUNTAIN_CAR),
        # of any task that pays the same for each step
        run_of({"task.episode_length": FEW_SHORTER, "reward.episode_return": FEW_SHORTER}),
        # of a thousand episodes, the first forty
        run_of({"task.episode_length": np.append(noisy(25, 5, points=40), np.ones(900))}),
        run_of({"task.episode_length": step_change(45, 1.3, spread=0.1), "reward.episode_return": rising(-11, 1)}),
    ]


def healthy():
    return [
        # a shorter way to the goal, one that pays, and episodes that fail sooner or later
        shortened(4.0, 1.0),
        shortened(4.0, 0.05, returns=9.0),
        shortened(4.0 + np.arange(40) % 3, 0.05),
        run_of({"task.episode_length": rising(20, 490), "reward.episode_return": rising(20, 490)}, CARTPOLE),
        # a limit that was lowered on purpose
        run_of({"task.episode_length": np.full(100, 100.0), "reward.episode_return": ramp(20, 90)}, CARTPOLE),
        run_of({"task.episode_length": np.full(9, 200.0), "reward.episode_return": np.full(9, -200.0)}, MOUNTAIN_CAR),
        # rounds of a game that is won or lost within them
        run_of({"task.episode_length": FEW_SHORTER, "reward.episode_return": noisy(0, 0.3, points=50)}),
        run_of({"task.episode_length": np.full(50, 12.0), "reward.episode_return": np.full(50, 12.0)}),
        run_of({"task.episode_length": 16 * FEW_SHORTER, "reward.episode_return": 16 * FEW_SHORTER}),
        # a bandit
        run_of({"task.episode_length": np.ones(100), "reward.episode_return": rising(0, 1)}),
        # the shortest way through a maze
        run_of({"task.episode_length": rising(90, 8, 0.5), "reward.episode_return": rising(-90, -8)}),
        run_of({"task.episode_length": noisy(21, 2), "reward.episode_return": noisy(21, 2)}, CARTPOLE),
    ]
