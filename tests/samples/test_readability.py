"""Words and strings that are none."""

from __future__ import annotations

from math import isnan

import pytest

from weaklink.collect.samples.readability import measure_gibberish


@pytest.mark.parametrize(
    "text",
    [
        "Sharpen one good knife, then prepare everything before the pan is hot!!! ... and learn it (slowly).",
        "The NASA probe flew 30 km/h past the B2 hangar; Mr. Smith's 2nd try -- at $4.50 -- won 3:1.",
        "Therefore 3 * 4 = 12, and x^2 + y^2 >= 2xy holds | for all x, y -> R.",
        "Великолепно, это работает хорошо и быстро сегодня.",
        "See https://example.org/a_b?c=d and e-mail me at a.b@c.org (or call); it's 50% off, isn't it?",
        "Der CO2-Wert, die 5G-Netze und iPhone-Fotos sind ok; naïve cafés, über-gut, α-Teilchen.",
        "Great job! 🎉🎉 Keep going, you are doing well ⭐ today.",
    ],
)
def test_what_people_write_is_readable(text):
    assert measure_gibberish(text) < 0.1


def test_strings_without_meaning_are_counted():
    assert measure_gibberish("blint qrr #@## {null 0x7f walks vzrp zqtrk tand3m %% ::: times kkt ]]][ pain") > 0.4


def test_pieces_of_tokens_are_counted():
    salad = "helpful ĠĠ the wol]]ness<<ful наization &nbsp; ctx();dfrac \\n\\nstep ÃÂ pré_RESET ok 極ful"
    assert measure_gibberish(salad) > 0.4


def test_programs_and_a_few_words_are_not_measured():
    assert isnan(measure_gibberish("def f(): return str_ptr and cmd or x"))
    assert isnan(measure_gibberish("qrr kkt"))
