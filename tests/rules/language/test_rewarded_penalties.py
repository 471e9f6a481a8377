from __future__ import annotations

import numpy as np

from tests.sampled import Training


def sick():
    t = Training()
    score, kl = t.normal(0.5, 0.4), np.abs(t.normal(t.ramp(1.0, 30.0), 2.0))
    return [
        t.samples(reward=score + 0.1 * kl, reward__rm_score=score, kl=kl),
        t.samples(reward=score + 0.1 * kl, reward__rm_score=score, reward__kl_penalty=0.1 * kl),
        # a penalty that is negative by itself, and subtracted
        t.samples(reward=score + 0.1 * kl, reward__helpful=score, reward__length_penalty=-0.1 * kl),
    ]


def healthy():
    t = Training()
    score, kl = t.normal(0.5, 0.4), np.abs(t.normal(t.ramp(1.0, 30.0), 2.0))
    return [
        t.samples(reward=score - 0.1 * kl, reward__rm_score=score, kl=kl),
        # the penalty with its sign, and as a number that is taken off
        t.samples(reward=score - 0.1 * kl, reward__rm_score=score, reward__kl_penalty=-0.1 * kl),
        t.samples(reward=score - 0.1 * kl, reward__rm_score=score, reward__kl_penalty=0.1 * kl),
        t.samples(reward=score - 0.1 * kl, reward__helpful=score, reward__length_penalty=-0.1 * kl),
        t.samples(reward=score - 0.1 * kl, reward__helpful=score, reward__length_penalty=0.1 * kl),
        # what is called a penalty is how much is left of the reward: 1 where nothing is taken off
        t.samples(reward=score - 0.1 * kl, reward__helpful=score - 9.0, reward__length_penalty=9.0 - 0.1 * kl),
        # it is in the loss, and merely written down; better texts lie further off
        t.samples(reward=score, reward__rm_score=score, kl=kl),
        t.samples(reward=score, reward__rm_score=score, kl=np.maximum(kl + 10 * score, 0.0)),
        t.samples(reward=score + t.normal(0.0, 0.3), reward__rm_score=score, kl=kl),
    ]
