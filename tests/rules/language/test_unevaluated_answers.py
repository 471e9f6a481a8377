from __future__ import annotations

import numpy as np

from tests.sampled import Training
from weaklink.collect.samples.answers import is_unevaluated


def sick():
    t = Training()
    marked = t.chance(t.ramp(0.02, 0.8))
    return [t.samples(unevaluated=marked, reward=np.maximum(marked, t.chance(0.4)))]


def healthy():
    t = Training()
    marked = t.chance(0.3)
    return [
        t.samples(unevaluated=t.chance(0.01), reward=t.chance(0.4)),
        # the verifier rejects them
        t.samples(unevaluated=marked, reward=t.chance(0.5) * (1 - marked)),
    ]


def test_expressions_of_the_question():
    assert is_unevaluated("12 * 34 + 5", "Compute 12 * 34 + 5.", "413") is True
    assert is_unevaluated("12*34+5", "Compute 12 * 34 + 5.", "413") is True
    assert is_unevaluated("413", "Compute 12 * 34 + 5.", "413") is False
    # worked on, another form, an interval of words, an answer that is meant to be an expression
    assert is_unevaluated("408 + 5", "Compute 12 * 34 + 5.", "413") is False
    assert is_unevaluated("-413", "Compute 12 * 34 + 5.", "413") is False
    assert is_unevaluated("3/4", "Write 3/4 as it is.", "3/4") is None
    assert is_unevaluated("x + 3", "Simplify x + 3.", "7") is False
