from __future__ import annotations

from tests.outcomes import acting, climbed, rung
from weaklink.base.loop import Link
from weaklink.judge.rules._registry import find_rule

RULE = find_rule("PRB114")


def sick():
    return [
        climbed(rung("TwoActions"), rung("Exploration", acting(lambda state: 0), late=0.05)),
        climbed(rung("TwoActions"), rung("Exploration", acting(lambda state: int(state > 0)), late=0.3)),
        climbed(rung("TwoActions"), rung("Exploration", acting(lambda state: 0), late=0.0, first_choice=1.0)),
    ]


def healthy():
    return [
        climbed(rung("Exploration")),
        climbed(rung("Exploration", first=acting(lambda state: 0))),
        climbed(rung("Exploration", acting(lambda state: 1), late=0.8)),
    ]


def test_settling_for_the_small_reward_is_no_wrong_sign_and_no_mix_up():
    for outcome in sick():
        assert RULE.ask(outcome).link is Link.EXPLORATION


def test_trying_one_action_only_is_said():
    assert "tries hardly more than one action" in RULE.ask(sick()[2]).message
