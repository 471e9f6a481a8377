from __future__ import annotations

import pytest

from tests.looping import loop_over


def test_every_combination_is_tried_beside_fixtures(tmp_path):
    seen = []

    @loop_over(number=[1, 2], letter="ab")
    def check(number, letter, tmp_path):
        assert tmp_path.is_dir()
        seen.append((number, letter))

    check(tmp_path=tmp_path)
    assert seen == [(1, "a"), (1, "b"), (2, "a"), (2, "b")]


@loop_over(number=[1, 2])
def test_fixtures_are_found(number, tmp_path):
    assert tmp_path.is_dir()


def test_every_case_that_fails_is_named():
    @loop_over(number=[0, 1, 2])
    def check(number):
        assert 1 / number < 1, "too large"

    with pytest.raises(
        AssertionError, match=r"(?s)2 cases failed:\n\[number=0\] ZeroDivisionError.*\n\[number=1\].*too"
    ):
        check()


def test_nothing_to_try_is_no_success():
    @loop_over(number=[])
    def check(number):
        raise AssertionError

    with pytest.raises(AssertionError, match="nothing to try"):
        check()
