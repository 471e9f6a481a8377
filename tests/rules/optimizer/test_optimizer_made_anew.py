from __future__ import annotations

from tests.recoveries import episodic_course, ppo, q_loop, soft_loop
from weaklink.judge.rules._registry import find_rule

RULE = find_rule("OPT209")


def sick():
    return [q_loop("new optimizer"), episodic_course("new optimizer")]


def healthy():
    return [q_loop(), q_loop(number=0), soft_loop()]


def more_healthy():
    return [ppo(), episodic_course()]


def test_says_that_every_step_is_the_first():
    assert "is the first one of its optimizer" in RULE.ask(q_loop("new optimizer")).message
    assert RULE.ask(q_loop()) is None
    assert "is the first one of its optimizer" in RULE.ask(episodic_course("new optimizer")).message
    assert RULE.ask(episodic_course()) is None
