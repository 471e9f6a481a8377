from __future__ import annotations

import numpy as np

from tests.sampled import Training


def grade(t: Training, level=0.5, since=2.0, until=3.0, length=60.0, **columns):
    """Verdicts that are all 0 during a part of training."""
    out = (t.progress >= since) & (t.progress < until)
    paid = np.where(out, 0.0, t.chance(level, hardness=1.0))
    return t.samples(reward=paid, prompt=t.group, length=t.lengths(length), **columns)


def sick():
    t = Training()
    return [
        grade(t, since=0.6),
        grade(t, since=0.9),
        # partial pay
        t.samples(reward=np.where(t.progress > 0.7, 0.0, t.share(0.5)), prompt=t.group, length=t.lengths(50)),
    ]


def healthy():
    t = Training()
    return [
        grade(t),
        # an outage that is over
        grade(t, since=0.4, until=0.6),
        # hard from the start; a few prompts at the end
        grade(t, level=0.02),
        grade(Training(steps=60, prompts=2), since=0.99),
        # the policy fell apart: it writes nothing any more
        grade(t, since=0.6, length=np.where(t.progress >= 0.6, 3.0, 60.0)),
    ]
