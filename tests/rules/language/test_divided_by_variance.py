from __future__ import annotations

import numpy as np

from tests.sampled import Training
from weaklink.judge.rules._registry import find_rule


def made(power: float, *, scale: float = 1.0, graded: bool = False, small: float = 1e-6):
    """Advantages that are rewards minus the mean of their group, times its spread to a power."""
    t = Training()
    reward = scale * (t.share(0.5, 0.2) if graded else t.chance(0.5, hardness=1.0))
    sizes = np.bincount(t.group)
    mean = (np.bincount(t.group, reward) / sizes)[t.group]
    spread = np.sqrt(np.bincount(t.group, (reward - mean) ** 2) / (sizes - 1))[t.group]
    return t.samples(reward=reward, advantage=(reward - mean) * (spread + small) ** power)


def sick():
    return [made(-2.0), made(-2.0, scale=0.05), made(-2.0, graded=True)]


def healthy():
    t = Training()
    return [
        made(-1.0),
        made(-1.0, scale=0.05, small=1e-4),
        # not divided, weighted by the spread, and a large number added to the spread
        made(0.0),
        made(1.0),
        made(-1.0, graded=True, small=0.1),
        # with a critic
        t.samples(reward=t.chance(0.5), advantage=t.normal(0.0, 1.0)),
    ]


def test_the_size_is_told():
    assert "by the variance" in find_rule("LLM374").ask(made(-2.0, scale=0.05)).message
