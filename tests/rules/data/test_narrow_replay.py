from __future__ import annotations

from tests.recoveries import q_course, q_loop, soft_loop
from weaklink.judge.rules._registry import find_rule

RULE = find_rule("DAT209")


def sick():
    return [q_course("oldest alone"), q_course("newest alone")]


def healthy():
    return [q_course(), q_course("never copied"), q_course("always random")]


def more_healthy():
    return [q_loop(), soft_loop()]


def test_says_how_much_of_the_run_is_drawn_from():
    old, new = (RULE.ask(q_course(f"{which} alone")).message for which in ("oldest", "newest"))
    assert "draw from the first 64 alone" in old
    assert "no update that was read draws from more than the newest 32, with minibatches of 16" in new
    assert RULE.ask(q_course()) is None
