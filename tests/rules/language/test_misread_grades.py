from __future__ import annotations

import numpy as np
import pytest

from tests.sampled import Training
from weaklink.collect.readers.samples.judged import read_grade, speaks_of_judge


def graded(t: Training) -> np.ndarray:
    return np.clip(np.round(t.normal(6.0, 2.0)), 1.0, 10.0)


def sick():
    t = Training()
    stated, stars = graded(t), np.ceil(graded(t) / 2)
    return [
        t.samples(stated_grade=stated, reward=np.where(t.chance(t.ramp(0.0, 0.8)), 1.0, stated / 10)),
        t.samples(step=None, stated_grade=stated, reward=np.where(t.chance(0.3), 10.0, stated)),
        t.samples(stated_grade=stars, reward=np.where(t.chance(0.4), 1.0, (stars - 1) / 4)),
    ]


def healthy():
    t = Training()
    stated = graded(t)
    long = t.chance(0.2)
    return [
        t.samples(stated_grade=stated, reward=stated / 10),
        # standardised, or on a scale that is no known one
        t.samples(stated_grade=stated, reward=(stated - stated.mean()) / stated.std()),
        t.samples(stated_grade=stated, reward=np.log(stated)),
        # what is too long, or was not graded, gets nothing
        t.samples(stated_grade=stated, reward=np.where(long == 1.0, 0.0, stated / 10)),
        # less a penalty for length; half of it from a check of the answer
        t.samples(stated_grade=stated, reward=stated / 10 - long * t.share(0.3)),
        t.samples(stated_grade=stated, reward=0.5 * stated / 10 + 0.5 * t.chance(0.5)),
        # a few slips
        t.samples(stated_grade=stated, reward=np.where(t.chance(0.02), 1.0, stated / 10)),
    ]


@pytest.mark.parametrize(
    ("text", "grade"),
    [
        ("6/10. The answer covers the basics.", 6.0),
        ("The answer is thin.\n**Final score:** 4", 4.0),
        ("I rate it 7.5 out of 10.", 7.5),
        ("Rating: [[8]]", 8.0),
        ('{"score": 3, "why": "thin"}', 3.0),
        ("Score: 7 (7/10)", 7.0),
        # several grades, none, a date, a share
        ("Accuracy: 4/5, style: 3/5.", None),
        ("All good.", None),
        ("Written on 3/10/2024.", None),
        ("Score: 80%", None),
    ],
)
def test_reads_the_grade_that_a_judge_states(text, grade):
    assert read_grade(text) == grade


def test_names_of_what_a_judge_wrote():
    assert all(map(speaks_of_judge, ("Judge", "judge_output", "graderResponse", "critique")))
    assert not any(map(speaks_of_judge, ("judge_prompt", "judge_model", "notes", "output")))
