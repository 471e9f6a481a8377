"""Healthy is earned: what a survey must have seen before an environment is called that."""

from __future__ import annotations

import numpy as np
import pytest

from tests.worlds import changed, play, world
from weaklink.judge.diagnosis.diagnosis import Verdict
from weaklink.judge.diagnosis.preflight import judge_survey


def test_a_survey_that_saw_enough_is_healthy():
    found = judge_survey(world())
    assert found.verdict is Verdict.HEALTHY
    assert found.advice == ()


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"plays": {"random": play(episodes=3)}}, "random play came to the end of 3 episodes, of 5 at least"),
        (
            {"plays": {"random": play(lengths=np.arange(20, 120))}},
            "no policy but random play came to the end of an episode",
        ),
        ({"comparisons": ()}, "the same seed was never played twice"),
    ],
)
def test_one_that_was_cut_short_is_unclear_and_says_what_is_missing(fields, words):
    found = judge_survey(changed(world(), **fields))
    assert found.verdict is Verdict.UNCLEAR
    assert words in found.advice[0]
    assert "--seconds" in found.advice[0]


def test_a_finding_outweighs_what_was_not_seen():
    found = judge_survey(changed(world(), comparisons=(), in_place="observation[0]"))
    assert found.verdict is Verdict.BROKEN
    assert found.advice == ()
