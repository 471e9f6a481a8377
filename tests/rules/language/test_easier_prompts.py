from __future__ import annotations

import numpy as np

from tests.sampled import Training


def draw(first: float, last: float, fall: float, *, noise: float = 0.4):
    """Prompts of five levels whose mean moves, with a success that depends on the level and changes by so much."""
    t = Training()
    mean = t.ramp(first, last).reshape(-1, t.size)[:, 0]
    level = np.clip(np.round(t.rng.normal(mean, 0.8)), 1, 5)[t.group]
    return t.samples(difficulty=level, reward=t.normal(1.2 - 0.2 * level + t.ramp(0.0, fall), noise))


def sick():
    return [draw(4.5, 1.5, -0.3), draw(5.0, 1.0, -0.5)]


def healthy():
    t = Training()
    return [
        # a curriculum, easy first or hard first, and a policy that learns
        draw(1.5, 4.5, 0.4),
        draw(4.5, 1.5, 0.3),
        # prompts get easier, and the policy stays what it is
        draw(4.5, 1.5, 0.0),
        # it gets worse in plain sight
        draw(3.0, 3.0, -0.4),
        # harder prompts, and it falls
        draw(1.5, 4.5, -0.2),
        # a difficulty that nothing depends on
        t.samples(difficulty=t.ramp(5.0, 1.0), reward=t.normal(t.ramp(0.2, 0.8), 0.3)),
    ]
