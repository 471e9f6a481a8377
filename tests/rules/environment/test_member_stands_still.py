from __future__ import annotations

import numpy as np

from tests.curves import rising, run_of


def of(*returns):
    return run_of({f"reward.of_member.{place}": each for place, each in enumerate(returns)})


def members(*still):
    """Four environments; those that are named stop at the highest return halfway."""
    at = np.arange(100)
    curves = [np.clip(rising(20, 480, 30, seed=seed), 0, 500) for seed in range(4)]
    return of(*(np.where((at >= 50) & (place in still), 500.0, curve) for place, curve in enumerate(curves)))


def sick():
    return [members(2)]


def healthy():
    solved = [np.clip(rising(20, 900, 30, seed=seed), 0, 500) for seed in range(6)]
    return [members(), of(*solved), members(0, 1, 2, 3), of(*(np.full(100, 500.0) for _ in range(4)))]
