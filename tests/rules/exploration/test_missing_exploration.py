from __future__ import annotations

from tests.recoveries import q_course, q_loop, sac, soft_loop, td3_course, td3_loop
from weaklink.judge.rules._registry import find_rule

RULE = find_rule("EXP205")


def sick():
    return [
        q_course("always random"),
        q_course("ever more random"),
        soft_loop("without noise", number=0),
    ]


def more_sick():
    return [
        soft_loop("all noise", number=0),
        td3_loop("same noise", number=1, steps=240),
        td3_course("no noise"),
        q_course("spent early"),
        q_course("one left out"),
        td3_course("upwards"),
    ]


def healthy():
    return [
        q_course(),
        soft_loop(),
        soft_loop(number=0),
    ]


def more_healthy():
    return [
        soft_loop("some noise", number=0),
        sac(),
        q_loop("always random"),
        td3_loop(number=1, steps=240),
        td3_loop("no noise", number=1, steps=240),  # eleven steps without noise are no habit yet
        td3_course(),
    ]


def test_says_how_actions_are_chosen():
    assert "100% of the actions are drawn at random" in RULE.ask(q_course("always random")).message
    assert "the wrong way round" in RULE.ask(q_course("ever more random")).message
    assert "exactly what Actor" in RULE.ask(soft_loop("without noise", number=0)).message
    assert "the noise is wider than the space" in RULE.ask(soft_loop("all noise", number=0)).message
    assert "one and the same offset" in RULE.ask(td3_loop("same noise", number=1, steps=240)).message
    assert "All 55 actions of 5 updates" in RULE.ask(td3_course("no noise")).message
    assert "exploration is over before anything is learned" in RULE.ask(q_course("spent early")).message
    assert "Of 2 actions, number 1 is never among" in RULE.ask(q_course("one left out")).message
    assert "actions the noise pushes to the same side" in RULE.ask(td3_course("upwards")).message
    assert RULE.ask(q_course()) is None
