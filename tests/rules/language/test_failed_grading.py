from __future__ import annotations

import numpy as np
import pytest

from tests.sampled import Training
from weaklink.collect.readers.samples import make_sample


def sick():
    t = Training()
    failed, busy = t.chance(0.5), t.chance(t.ramp(0.02, 0.6))
    return [
        t.samples(grading_failed=failed, reward=(1.0 - failed) * t.chance(0.6)),
        t.samples(grading_failed=busy, reward=np.where(busy == 1.0, -1.0, t.normal(0.5, 0.2))),
    ]


def healthy():
    t = Training()
    seldom, failed = t.chance(0.03), t.chance(0.4)
    return [
        t.samples(grading_failed=t.chance(0.0), reward=t.chance(0.5)),
        t.samples(grading_failed=seldom, reward=(1.0 - seldom) * t.chance(0.6)),
        # graded again, so that the status says nothing of the reward
        t.samples(grading_failed=failed, reward=t.chance(0.6)),
        t.samples(grading_failed=failed, reward=np.where(failed == 1.0, np.nan, t.chance(0.6))),
    ]


@pytest.mark.parametrize(
    "status",
    [
        "OSError: [Errno 24] Too many open files",
        "TimeoutError: sandbox did not answer in 5 s",
        "sandbox error: connection reset",
        "judge: 503 service unavailable",
        "worker 3 died",
    ],
)
def test_a_grader_that_fails(status):
    assert make_sample({"completion": "x", "verifier_status": status}).grading_failed is True


@pytest.mark.parametrize(
    "status",
    ["passed", "AssertionError", "SyntaxError: invalid syntax", "timeout", "TimeoutError", "3 of 5 tests failed"],
)
def test_a_program_that_fails(status):
    assert make_sample({"completion": "x", "verifier_status": status}).grading_failed is False
