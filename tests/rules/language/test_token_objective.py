from __future__ import annotations

from tests.recoveries import actor_critic, tokens, unrolled
from weaklink.base.finding import CannotTell
from weaklink.base.loop import Link
from weaklink.judge.rules._registry import find_rule

RULE = find_rule("LLM206")
FAULTS = ("own place", "padding", "no baseline", "away")


def sick():
    return [tokens(fault) for fault in FAULTS]


def healthy():
    return [tokens(), tokens("imitated")]


def test_each_fault_is_named():
    placed, padded, plain, away = (RULE.ask(case) for case in sick())
    assert "logits and labels are off by one" in placed.message
    assert "padding tokens (token 6)" in padded.message
    assert "of 8 prompts the same way" in plain.message
    assert plain.link is Link.RETURNS
    assert "The KL penalty at" in away.message
    assert "has the wrong sign" in away.message


def test_networks_over_observations_are_not_judged():
    assert isinstance(RULE.ask(actor_critic()), CannotTell)
    assert isinstance(RULE.ask(unrolled()), CannotTell)
