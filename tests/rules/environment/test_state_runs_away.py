from __future__ import annotations

import numpy as np

from tests.curves import noisy, ramp, rising, run_of

FALLS = np.append(rising(-4, 1.6, points=60), ramp(-500, -2500, 100, points=40))
GROWS = np.append(np.abs(noisy(1.3, 0.1, points=60)), np.abs(ramp(5000, 20000, 500, points=40)))


def of(size, returns, name="observation.max"):
    return run_of({name: size, "reward.episode_return": returns})


def sick():
    return [of(GROWS, FALLS), of(GROWS, FALLS, "observation.std")]


def healthy():
    return [
        of(GROWS, rising(-4, 200)),  # whoever learns to run gets far
        of(np.abs(noisy(1.3, 0.1)), FALLS),
        of(ramp(1.3, 10, 0.1), FALLS),
        of(np.append(np.full(90, 1.3), [4000.0, *np.full(9, 1.3)]), FALLS),
    ]
