from __future__ import annotations

import numpy as np

from tests.sampled import Training
from weaklink.base.reference.groups import grpo


def sources(t: Training, *scales: float) -> tuple[np.ndarray, np.ndarray]:
    """The source of each row, and what its rewards are multiplied by."""
    kind = t.group % len(scales)
    return kind, np.asarray(scales)[kind]


def sick():
    t = Training()
    kind, scale = sources(t, 1.0, 100.0, 1.0)
    reward = scale * t.share(0.5, 0.3)
    mean = (np.bincount(t.group, reward) / t.size)[t.group]
    return [t.samples(kind=kind, reward=reward), t.samples(kind=kind, reward=reward, advantage=reward - mean)]


def healthy():
    t = Training()
    kind, scale = sources(t, 1.0, 100.0, 1.0)
    alike, five = sources(t, 1.0, 1.0)[0], sources(t, 1.0, 5.0)
    right = t.chance(0.5)
    return [
        t.samples(kind=alike, reward=right),
        t.samples(kind=five[0], reward=five[1] * right),
        # divided by the deviation of each group
        t.samples(kind=kind, reward=scale * right, advantage=grpo(scale * right, t.group)),
        # one source is solved but for the last digit; another is never solved
        t.samples(kind=alike, reward=np.where(alike == 1, 1.0 - 0.001 * right, right)),
        t.samples(kind=alike, reward=np.where(alike == 1, 0.0, right)),
        t.samples(kind=np.zeros(t.rows), reward=scale * right),
    ]
