from __future__ import annotations

import numpy as np

from tests.sampled import Training
from weaklink.base.reference.groups import grpo


def sick():
    t = Training()
    right, score, hard = t.chance(0.5), t.share(0.6, 0.2) + 0.1, t.chance(0.5, hardness=2.0)
    return [
        t.samples(reward=right + 0.5, advantage=(right + 0.5) / 0.57),
        t.samples(reward=score, advantage=3.0 * score),
        t.samples(reward=score, advantage=score - 5.0),
        # one mean for all, where the method that is named centres in groups
        t.samples(reward=hard, advantage=(hard - hard.mean()) / hard.std(), group_relative=np.ones(t.rows)),
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
        # what is named and what is done agree; a baseline for all by a method that is not named
        t.samples(reward=right, advantage=grpo(right, t.group), group_relative=np.ones(t.rows)),
        t.samples(reward=t.hardness + score, advantage=t.hardness + score),
        # rewards of both signs are their own advantages
        t.samples(reward=2.0 * right - 1.0, advantage=2.0 * right - 1.0),
        # one row a prompt: there is no group to centre in
        t.samples(group=np.arange(t.rows), reward=right + 0.5, advantage=right + 0.5),
        # nothing differs
        t.samples(reward=np.ones(t.rows), advantage=np.ones(t.rows)),
    ]
