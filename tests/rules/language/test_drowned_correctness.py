from __future__ import annotations

import numpy as np

from tests.sampled import Training


def paid(penalty: float, right: float = 0.5):
    t = Training()
    correctness, short = t.chance(right), -penalty * t.share(0.5, 0.3)
    return t.samples(reward=correctness + short, reward__correctness=correctness, reward__conciseness=short)


def sick():
    t = Training()
    right, form = t.chance(t.ramp(0.6, 0.3)), t.chance(t.ramp(0.3, 0.9))
    return [
        paid(40.0),
        paid(25.0),
        # both are verdicts, and correctness is paid a tenth
        t.samples(reward=0.1 * right + form, reward__accuracy=0.1 * right, reward__format=form),
    ]


def healthy():
    t = Training()
    right = t.chance(0.5)
    form = t.chance(0.5)
    long = -30.0 * t.share(0.5, 0.3)
    return [
        paid(0.2),
        paid(1.0),
        # components before they are weighted: the sum follows correctness
        t.samples(reward=right + 0.005 * long, reward__correctness=right, reward__length=long),
        # all components are small, and of one size
        t.samples(reward=0.1 * right + 0.1 * t.chance(0.5), reward__accuracy=0.1 * right, reward__format=0.1 * right),
        # the form is paid a fifth of what is right
        t.samples(reward=right + 0.2 * form, reward__accuracy=right, reward__format=0.2 * form),
        # nearly all are right: correctness cannot vary
        paid(40.0, right=1.0),
        t.samples(reward=right, reward__correctness=right),
        t.samples(reward=np.full(t.rows, 1.0), reward__correctness=right, reward__length=long),
    ]
