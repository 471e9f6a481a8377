from __future__ import annotations

import numpy as np

from tests.curves import noisy, run_of

GROWING = 0.2 * np.exp(np.linspace(0, 3, 100))


def made(temperature, entropy, target):
    return run_of({"exploration.temperature": temperature, "exploration.entropy": entropy}, {"target_entropy": target})


def sick():
    return [made(GROWING, noisy(1.3, 0.03), 6.0), made(GROWING, noisy(0.6, 0.03), 2.0)]


def healthy():
    return [
        made(GROWING[::-1], noisy(-1.0, 0.05), -1.0),
        # a policy that had collapsed is brought back
        made(GROWING, np.linspace(-3.0, -1.0, 100), -1.0),
        # the start: above what was seen by little
        made(GROWING, noisy(1.3, 0.03), 1.5),
        # a target that is out of reach under a temperature that does not grow
        made(noisy(0.2, 0.01), noisy(1.3, 0.03), 6.0),
        made(GROWING, noisy(1.3, 0.03), None),
    ]
