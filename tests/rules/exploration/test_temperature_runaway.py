from __future__ import annotations

import numpy as np

from tests.curves import POINTS, noisy, rising, run_of

FLAT = noisy(-1200, 60)
ORDERS = np.linspace(0.0, 1.0, POINTS)
WAITS = np.append(np.full(8, 0.2), 0.2 * np.exp(4 * np.linspace(0, 1, POINTS - 8)))


def sick():
    return [
        run_of({"reward.episode_return": FLAT, "exploration.temperature": np.exp(9 * ORDERS)}),
        run_of({"reward.episode_return": FLAT, "exploration.temperature": np.exp(-14 * ORDERS)}),
        run_of({"reward.episode_return": FLAT, "exploration.entropy_coefficient": 0.01 * np.exp(7 * ORDERS)}),
        # forty times its start, by the same factor all the time
        run_of({"reward.episode_return": FLAT, "exploration.temperature": 0.2 * np.exp(3.7 * ORDERS)}),
        # the same from where learning starts, although the return rises
        run_of({"reward.episode_return": rising(-1300, -600), "exploration.temperature": WAITS}),
    ]


def healthy():
    # settles, falls far in a run that learns, annealed to exactly 0, grows tenfold and settles, noise around a constant
    return [
        run_of({"reward.episode_return": FLAT, "exploration.temperature": np.maximum(np.exp(-8 * ORDERS), 0.02)}),
        run_of({"reward.episode_return": rising(-1500, -150), "exploration.temperature": np.exp(-12 * ORDERS)}),
        run_of({"reward.episode_return": FLAT, "exploration.entropy_coefficient": 0.01 * (1 - ORDERS)}),
        run_of({"reward.episode_return": FLAT, "exploration.temperature": np.minimum(np.exp(5 * ORDERS), 10.0)}),
        run_of({"reward.episode_return": FLAT, "exploration.temperature": np.abs(noisy(0.2, 0.02))}),
        run_of(
            {"reward.episode_return": rising(-1300, -600), "exploration.temperature": 0.2 * np.exp(6 * ORDERS**0.3)}
        ),
        # forty times its start, and slower and slower
        run_of({"reward.episode_return": FLAT, "exploration.temperature": 0.01 * np.exp(3.7 * ORDERS**0.3)}),
    ]
