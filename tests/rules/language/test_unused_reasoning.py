from __future__ import annotations

import pytest

from tests.sampled import Training
from weaklink.collect.samples.contradictions import leaves_reasoning


def sick():
    t = Training()
    return [
        t.samples(leaves_reasoning=t.chance(t.ramp(0.0, 0.4)), reward=t.chance(0.6)),
        t.samples(leaves_reasoning=t.chance(0.2), reward=t.chance(0.6)),
    ]


def healthy():
    t = Training()
    slips = t.chance(0.2)
    return [
        t.samples(leaves_reasoning=t.chance(0.01), reward=t.chance(0.6)),
        # slips of the pen, which are wrong
        t.samples(leaves_reasoning=slips, reward=t.chance(0.7) * (1.0 - slips)),
        t.samples(leaves_reasoning=t.chance(t.ramp(0.4, 0.0)), reward=t.chance(0.6)),
    ]


WORKING = "<think>\nFour tests with mean 75 add up to 4 × 75 = 309. 82 + 87 + 94 = 263. 309 - 263 = 46.\n</think>\n"


def test_an_answer_that_the_reasoning_never_names():
    assert leaves_reasoning(f"{WORKING}<answer>37</answer>", "37")
    assert leaves_reasoning(f"{WORKING}<answer>46</answer>", "46") is False


def test_an_answer_that_is_worked_out_after_the_thoughts_follows():
    said = "The four add up to 300. Take 82, 87 and 94 away, and 37 is left.\n<answer>37</answer>"
    assert leaves_reasoning(f"{WORKING}{said}", "37") is False
    assert leaves_reasoning(f"{WORKING}So it is 37.\n<answer>37</answer>", "37")


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("<think>1/8 of 400 is 0.125 * 400</think> It is 12.5%.", "12.5"),
        ("<think>747 / 4 = 186.75 cans, so one more</think> 187", "187"),
    ],
)
def test_rounded_answers_and_per_cent_are_named(text, answer):
    assert leaves_reasoning(text, answer) is False


def test_texts_without_reasoning_or_numbers_say_nothing():
    assert leaves_reasoning("It is 37.", "37") is None
    assert leaves_reasoning("<think>The capital is easy.</think> Paris", "paris") is None
    assert leaves_reasoning("<think>No idea.</think> 37", "37") is None
