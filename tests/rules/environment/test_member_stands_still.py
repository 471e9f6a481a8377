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
    # means of past episodes, of which none ends in some rows
    waiting = [np.repeat(rising(20, 400, 30, seed=seed, points=34), 3)[:100] for seed in range(3)]
    waiting.append(np.append(rising(20, 300, 30, points=78), np.full(22, 396.8)))
    waiting[0][80:95] = 341.0
    return [of(*waiting), members(), of(*solved), members(0, 1, 2, 3), of(*(np.full(100, 500.0) for _ in range(4)))]
