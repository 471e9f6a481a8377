from __future__ import annotations

import numpy as np

from tests.sampled import Training


def sick():
    t = Training()
    raw = t.normal(t.ramp(0.5, 2.0), 0.5)
    return [
        t.samples(reward=np.minimum(raw, 1.0), reward__raw=raw),
        t.samples(reward=np.maximum(-raw, -1.0), reward__raw=-raw),
        # hardly any score is inside of the bounds, and the log rounds it
        t.samples(reward=np.minimum(raw + 1.2, 1.0), reward__raw=np.round(raw + 1.2, 3)),
    ]


def healthy():
    t = Training()
    raw = t.normal(0.5, 0.5)
    return [
        t.samples(reward=raw, reward__raw=raw),
        # outliers are cut off
        t.samples(reward=np.clip(raw, -1.0, 1.6), reward__raw=raw),
        # full marks are no bound: the component is another score
        t.samples(reward=t.chance(0.9), reward__fluency=t.share(0.5)),
        t.samples(reward=t.chance(0.9)),
        # a verdict on a score
        t.samples(reward=(raw > -0.5) * 1.0, reward__raw=np.where(raw > -0.5, raw + 3.0, 0.0)),
        # a sum of two components
        t.samples(reward=t.chance(0.7) + 0.2, reward__accuracy=t.chance(0.7), reward__format=np.full(t.rows, 0.2)),
    ]
