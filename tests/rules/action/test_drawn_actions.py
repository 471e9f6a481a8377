from __future__ import annotations

from tests.recoveries import actor_critic, continuous, ppo, sac, soft_loop
from weaklink.base.finding import CannotTell
from weaklink.base.loop import Link
from weaklink.judge.rules._registry import find_rule

RULE = find_rule("ACT201")


def sick():
    return [
        continuous("one side only"),
        continuous("hardly explores", 0),
        soft_loop("outside"),
        soft_loop("other units"),
    ]


def healthy():
    return [
        continuous(),  # clipped at the bounds
        continuous("narrow"),
        ppo(environment="Pendulum-v1"),
        sac(),
        soft_loop(),
        actor_critic(),
    ]


def test_says_where_actions_end_and_how_little_is_tried():
    one_side, narrow, outside, units = (RULE.ask(case) for case in sick())
    assert one_side.link is Link.ACTION
    assert "are exactly 0 in one dimension and none lies beyond, although its space goes on to -1.5" in one_side.message
    assert narrow.link is Link.EXPLORATION
    assert "a spread of 0.0023, in a space that is 3 wide" in narrow.message
    assert "lie outside of its action space" in outside.message
    assert "learns from actions between -0.4 and 0.4 and is asked about actions of up to" in units.message
    assert RULE.ask(continuous()) is None
    assert isinstance(RULE.ask(actor_critic()), CannotTell)
