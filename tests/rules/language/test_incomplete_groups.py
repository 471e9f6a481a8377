from __future__ import annotations

import numpy as np

from tests.sampled import Training


def keep(share, declared: float = 6.0):
    """Groups of six of which a part of the rows is kept."""
    t = Training()
    rows = t.samples(declared_size=np.full(t.rows, declared))
    return rows.where(t.rng.random(t.rows) < share)


def sick():
    t = Training()
    return [keep(0.5), keep(np.where(t.group % 3 == 0, 0.3, 1.0))]


def healthy():
    t = Training()
    return [
        keep(1.0),
        # the last group was cut off, and a declared number that means something else
        t.samples(declared_size=np.full(t.rows, 6.0)).where(np.arange(t.rows) < t.rows - 3),
        keep(1.0, declared=8.0),
        keep(1.0, declared=1.0),
    ]
