from __future__ import annotations

import numpy as np

from tests.sampled import Training
from weaklink.base.reference.groups import grpo


def sick():
    t = Training()
    right, score = t.chance(0.5), t.share(0.6, 0.2) + 0.1
    return [
        t.samples(reward=right + 0.5, advantage=(right + 0.5) / 0.57),
        t.samples(reward=score, advantage=3.0 * score),
        t.samples(reward=score, advantage=score - 5.0),
    ]


def healthy():
    t = Training()
    right, score = t.chance(0.5), t.normal(0.0, 1.0)
    return [
        t.samples(reward=right, advantage=grpo(right, t.group)),
        # relative to the batch; without the standard deviation; a critic that is far too low, at first
        t.samples(reward=score, advantage=score - score.mean()),
        t.samples(reward=right, advantage=right - 0.5),
        t.samples(reward=right, advantage=right + t.normal(t.ramp(2.0, -0.5), 0.4)),
        # rewards of both signs are their own advantages
        t.samples(reward=2.0 * right - 1.0, advantage=2.0 * right - 1.0),
        # one row a prompt: there is no group to centre in
        t.samples(group=np.arange(t.rows), reward=right + 0.5, advantage=right + 0.5),
        # nothing differs
        t.samples(reward=np.ones(t.rows), advantage=np.ones(t.rows)),
    ]
