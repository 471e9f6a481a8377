from __future__ import annotations

import numpy as np

from tests.sampled import Training
from weaklink.collect.samples.answers import lacks_answer


def sick():
    t = Training()
    gone = t.chance(0.8)
    return [t.samples(answer_missing=gone, reward=(1 - gone) * t.chance(0.7))]


def healthy():
    t = Training()
    gone, most, always = t.chance(0.1), t.chance(t.ramp(0.99, 0.6)), t.chance(0.8)
    return [
        t.samples(answer_missing=gone, reward=(1 - gone) * t.chance(0.5)),
        # a form that is being learned
        t.samples(answer_missing=most, reward=(1 - most) * t.chance(0.7)),
        # the verifier reads other forms too
        t.samples(answer_missing=always, reward=t.chance(0.5)),
        # what a limit cut off has a rule of its own
        t.samples(answer_missing=always, truncated=always, reward=(1 - always) * t.chance(0.7)),
        # tasks that are too hard for those that answer, too
        t.samples(answer_missing=always, reward=(1 - always) * t.chance(0.05)),
        t.samples(answer_missing=np.ones(t.rows), reward=np.zeros(t.rows)),
    ]


def test_marks_that_a_prompt_asks_for():
    asked = "What is 3 + 4? Put the final answer within \\boxed{}."
    assert lacks_answer("It is 7.", asked) is True
    assert lacks_answer("It is \\boxed{7}.", asked) is False
    assert lacks_answer("It is 7.", "What is 3 + 4?") is None
