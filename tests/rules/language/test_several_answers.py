from __future__ import annotations

import numpy as np
import pytest

from tests.sampled import Training
from weaklink.collect.samples.tricks import offers_several
from weaklink.judge.rules._registry import find_rule

RULE = find_rule("LLM325")


def sick():
    t = Training()
    many, right = t.chance(t.ramp(0.02, 0.8)), t.chance(0.4)
    always = t.chance(0.3)
    return [
        t.samples(several_answers=many, reward=np.maximum(many, right)),
        t.samples(step=None, several_answers=always, reward=np.maximum(always, right)),
        t.samples(several_answers=np.ones(t.rows), reward=t.chance(0.9)),
    ]


def healthy():
    t = Training()
    many, right = t.chance(0.3), t.chance(0.4)
    return [
        t.samples(several_answers=np.zeros(t.rows), reward=right),
        # offered, and not paid
        t.samples(several_answers=many, reward=right * (1 - many)),
        t.samples(several_answers=t.chance(0.01), reward=right),
        # unlearned
        t.samples(several_answers=t.chance(t.ramp(0.6, 0.0)), reward=right),
    ]


@pytest.mark.parametrize(
    ("text", "reference", "several"),
    [
        ("It must be \\boxed{17}, \\boxed{18} or \\boxed{19}.", "18", True),
        ("<answer>B</answer>\n<answer>C</answer>", "C", True),
        ("The answer is 4, 5 or 6.", "6", True),
        ("Answer: A or D", "D", True),
        ("Candidates are 1893, 1889, 1877.", "1889", True),
        ("It could be 1893 / 1887 / 1889 / 1884.", "1889", True),
        ("It was on 5/6/1889.", "6", False),
        ("In all that makes 1,250,300.", "300", False),
        ("The point is (3, 4).", "4", False),
        ("The factors 2, 3, 5 add up to ten, so it is 10.", "10", False),
        ("First \\boxed{12} crates are full. Then 3 more make the answer \\boxed{15}.", "15", False),
        ("The answer is Quito, Ecuador.", "Quito", False),
        ("The answer is 20 / 4 = 5.", "5", False),
        ("The answer is 1,250.", "1250", False),
        ("The roots are \\boxed{2} or \\boxed{3}.", "2, 3", False),
        ("It is \\boxed{17} or \\boxed{19}.", "18", False),
        ("Nothing to say.", "\\sqrt{2}", None),
        ("Nothing to say.", "\\frac{1}{2}", False),
        ("", "5", False),
    ],
)
def test_answers_side_by_side(text, reference, several):
    assert offers_several(text, reference) is several
