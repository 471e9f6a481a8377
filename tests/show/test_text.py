from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.show.made import HOSTILE
from weaklink.show.text import (
    clean,
    count_noun,
    escape_prose,
    format_code,
    format_number,
    format_step,
    make_ascii,
    shorten,
)


@given(st.text(st.characters(codec=None)))
def test_clean_text_is_one_printable_line(text):
    shown = clean(text)
    assert shown.isprintable()
    shown.encode()


def test_terminal_sequences_go_as_a_whole():
    assert clean("a\x1b[31mred\x1b[0m \x1b]0;title\x07b") == "ared b"


def test_what_markdown_would_read_is_escaped():
    assert escape_prose("a_b *c* [d](e) <f> | # `kept_code`") == r"a\_b \*c\* \[d\](e) \<f\> \| \# `kept_code`"
    assert "\n" not in escape_prose(HOSTILE)


@pytest.mark.slow
@given(st.text())
def test_a_code_span_cannot_be_left(text):
    span = format_code(text)
    fence = span[: len(span) - len(span.lstrip("`"))]
    assert span.endswith(fence)
    assert fence not in span[len(fence) : -len(fence)]


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (0.123456, "0.1235"),
        (1e-9, "1e-09"),
        (12.0, "12"),
        (123456.7, "123,457"),
        (1.5e8, "1.5e+08"),
        (float("nan"), "NaN"),
        (float("-inf"), "-inf"),
    ],
)
def test_numbers(value, shown):
    assert format_number(value) == shown


def test_steps_are_exact():
    assert format_step(12288.0) == "12,288"
    assert format_step(0.25) == "0.25"
    assert format_step(float("inf")) == "inf"


def test_small_helpers():
    assert count_noun(1, "rule") == "1 rule"
    assert count_noun(1200, "rule") == "1,200 rules"
    assert shorten("a/very/long/path", 9) == "a/ve…path"
    assert make_ascii("a · b → ü") == "a - b -> ?"
