from __future__ import annotations

import numpy as np

from tests.curves import noisy, ramp, rising, run_of

FALLING = rising(20, 9, 0.3)


def held(size, returns=FALLING):
    return run_of({"data.buffer_size": size, "reward.episode_return": returns})


def sick():
    return [held(np.full(100, 96.0)), held(np.append([48.0], np.full(99, 96.0)), returns=noisy(20, 1))]


def healthy():
    return [
        held(np.minimum(ramp(2048, 204800), 50_000)),
        held(np.full(100, 96.0), returns=rising(20, 200)),  # a small task that needs no more
        held(np.full(100, 10_000.0)),
        held(np.full(100, 50_000.0)),
    ]
