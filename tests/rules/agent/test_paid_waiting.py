from __future__ import annotations

import numpy as np

from tests.sampled import Training


def stay(first: float, last: float, bonus: float, prize: float):
    """Episodes that end with success or last until the limit, paid for each turn and for the end."""
    t = Training()
    success = t.chance(t.ramp(first, last))
    turns = np.where(success == 1.0, t.rng.integers(3, 12, t.rows), t.rng.integers(8, 21, t.rows)).astype(float)
    return t.samples(success=success, turns=turns, reward=bonus * turns + prize * success)


def sick():
    return [stay(0.6, 0.1, 0.5, 1.0), stay(0.7, 0.2, 0.1, 0.0)]


def healthy():
    return [
        # it learns in spite of the bonus, a prize that is worth more, and a cost of each step
        stay(0.3, 0.7, 0.5, 1.0),
        stay(0.6, 0.1, 0.1, 5.0),
        stay(0.6, 0.1, -0.1, 1.0),
        stay(0.6, 0.1, 0.0, 1.0),
    ]
