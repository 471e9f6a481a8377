from __future__ import annotations

import numpy as np

from tests.sampled import Training


def sick():
    t = Training()
    some, size = t.chance(0.02), t.share(0.5, 0.2)
    return [
        t.samples(reward=np.where(some == 1, 1000 + 3000 * size, t.normal(0.5, 0.5))),
        t.samples(reward=np.where(some == 1, -500 - 100 * size, t.normal(0.5, 0.5))),
    ]


def healthy():
    t = Training()
    some = t.chance(0.02)
    return [
        t.samples(reward=t.normal(0.5, 0.5)),
        # heavy tails without a gap
        t.samples(reward=np.exp(3.0 * t.normal(0.0, 1.0))),
        t.samples(reward=t.rng.standard_cauchy(t.rows)),
        # rare successes, a fixed penalty, and a prize beside a verdict
        t.samples(reward=some),
        t.samples(reward=np.where(some == 1, -1000.0, t.normal(0.5, 0.5))),
        t.samples(reward=np.where(some == 1, 100.0 + t.normal(0.0, 1.0), t.chance(0.5))),
    ]
