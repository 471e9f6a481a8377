from __future__ import annotations

from tests.recoveries import q_course, q_loop, sac, soft_loop
from weaklink.judge.rules._registry import find_rule

RULE = find_rule("EXP205")


def sick():
    return [
        q_course("always random"),
        q_course("ever more random"),
        soft_loop("without noise", number=0),
        soft_loop("all noise", number=0),
    ]


def healthy():
    return [
        q_course(),
        soft_loop(),
        soft_loop(number=0),
        soft_loop("some noise", number=0),
        sac(),
        q_loop("always random"),
    ]


def test_says_how_actions_are_chosen():
    assert "100% of the actions are drawn at random" in RULE.ask(q_course("always random")).message
    assert "the wrong way round" in RULE.ask(q_course("ever more random")).message
    assert "exactly what Actor" in RULE.ask(soft_loop("without noise", number=0)).message
    assert "the noise is wider than the space" in RULE.ask(soft_loop("all noise", number=0)).message
    assert RULE.ask(q_course()) is None
