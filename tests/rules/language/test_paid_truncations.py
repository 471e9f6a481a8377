from __future__ import annotations

import numpy as np

from tests.sampled import Training
from weaklink.collect.samples.phrases import states_answer


def sick():
    t = Training()
    cut = t.chance(t.ramp(0.1, 0.6))
    return [t.samples(truncated=cut, answer_stated=1 - cut, reward=np.maximum(cut, t.chance(0.4)))]


def healthy():
    t = Training()
    cut = t.chance(0.3)
    return [
        t.samples(truncated=cut, answer_stated=1 - cut, reward=t.chance(0.5) * (1 - cut)),
        # the answer came first
        t.samples(truncated=cut, answer_stated=np.ones(t.rows), reward=np.maximum(cut, t.chance(0.4))),
        # programs have no answer that is stated, and chatter behind them may be cut off
        t.samples(truncated=cut, answer_stated=np.zeros(t.rows), reward=np.maximum(cut, t.chance(0.4))),
        # a score of how a text reads
        t.samples(truncated=cut, answer_stated=1 - cut, reward=t.normal(0.5 + 0.5 * cut, 0.01)),
        t.samples(truncated=t.chance(0.01), answer_stated=np.ones(t.rows), reward=t.chance(0.4)),
    ]


def test_texts_that_come_to_an_answer():
    long = "First we look at what is given and write it down in full. "
    assert states_answer(long + "So it is \\boxed{7}.")
    assert states_answer(long + "The answer is 7, as was shown above.")
    assert states_answer("Saturn")
    assert not states_answer(long + "Then we set up an equation and")
