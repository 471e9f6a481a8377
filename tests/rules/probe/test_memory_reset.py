from __future__ import annotations

from tests.outcomes import acting, climbed, rung
from weaklink.base.finding import CannotTell
from weaklink.base.loop import Link
from weaklink.judge.rules._registry import find_rule

RULE = find_rule("PRB113")


def sick():
    return [
        climbed(rung("Memory"), rung("MemoryReset", late=0.88)),
        climbed(rung("MemoryReset", late=0.7)),
    ]


def healthy():
    return [
        climbed(rung("MemoryReset")),
        climbed(rung("MemoryReset", late=0.62)),
        climbed(rung("MemoryReset", late=0.3)),
    ]


def test_more_right_guesses_than_chance_give_a_leak_away():
    finding = RULE.ask(sick()[0])
    assert finding.link is Link.DATA
    assert "is 0.88 where at most 0.68 is right" in finding.message


def test_agents_without_memory_are_not_judged():
    assert isinstance(RULE.ask(climbed(rung("MemoryReset", acting(lambda state: 0), late=0.88))), CannotTell)
