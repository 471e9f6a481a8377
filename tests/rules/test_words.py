"""How messages tell numbers and names."""

from __future__ import annotations

from weaklink.judge.rules._words import tell_apart


def test_two_numbers_are_told_apart_where_they_differ():
    assert tell_apart(3.25, 17.5) == ("3.25", "17.5")
    assert tell_apart(15.361, 15.3627) == ("15.361", "15.363")
    assert tell_apart(2.0, 2.0) == ("2", "2")
