from __future__ import annotations

import numpy as np

from tests.sampled import Training
from weaklink.collect.samples.contradictions import hides_answer


def sick():
    t = Training()
    hides = t.chance(t.ramp(0.05, 0.6))
    right = t.chance(0.7)
    return [
        t.samples(hides_answer=hides, reward=np.where(hides == 1.0, 1.0, right)),
        t.samples(hides_answer=t.chance(0.4), reward=right),
    ]


def healthy():
    t = Training()
    hides, right = t.chance(0.4), t.chance(0.7)
    return [
        t.samples(hides_answer=t.chance(0.02), reward=right),
        # placeholders that are not paid, and that go away
        t.samples(hides_answer=hides, reward=np.where(hides == 1.0, 0.0, right)),
        t.samples(hides_answer=t.chance(t.ramp(0.5, 0.01)), reward=right),
    ]


def test_a_placeholder_is_told_from_an_answer():
    think = "<think>3 + 4 = 7, so it is 7.</think>\n"
    assert hides_answer(f"{think}<answer>see above</answer>", "7")
    assert hides_answer(f"{think}\\boxed{{done}}", "7")
    assert hides_answer(f"{think}<answer>7</answer>", "7") is False
    # a wrong answer is no placeholder, and neither is one whose reasoning is wrong too
    assert hides_answer(f"{think}<answer>8</answer>", "7") is False
    assert hides_answer(f"{think}<answer>see above</answer>", "9") is False
    assert hides_answer("<answer>see above</answer>", "7") is None
    assert hides_answer(f"{think}<answer>Paris</answer>", "Rome") is None
