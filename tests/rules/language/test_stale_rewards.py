from __future__ import annotations

import numpy as np

from tests.sampled import Training


def stuck(rewards: np.ndarray, since: int = 15) -> np.ndarray:
    """The rewards of one step again at every later one."""
    by_step = rewards.reshape(40, -1).copy()
    by_step[since:] = by_step[since]
    return by_step.reshape(-1)


def sick():
    t = Training()
    text = np.arange(t.rows)
    return [
        t.samples(text=text, reward=stuck(t.share(0.5))),
        t.samples(text=text, reward=stuck(t.chance(0.5))),
        # a cache that is emptied every fourth step
        t.samples(text=text, reward=np.repeat(t.share(0.5).reshape(40, -1)[::4], 4, axis=0).reshape(-1)),
    ]


def healthy():
    t = Training()
    text = np.arange(t.rows)
    few = Training(steps=40, prompts=2, size=2)
    return [
        t.samples(text=text, reward=t.share(0.5)),
        t.samples(text=text, reward=t.chance(0.5)),
        # all are right at the end
        t.samples(text=text, reward=t.chance(t.ramp(0.3, 1.0))),
        t.samples(text=text, reward=np.ones(t.rows)),
        # so few rows a step that chance repeats their rewards
        few.samples(text=np.arange(few.rows), reward=few.chance(0.9)),
        # the policy repeats its texts, and gets the same for the same
        t.samples(text=np.tile(np.arange(36), 40), reward=np.tile(t.share(0.5)[:36], 40)),
    ]
