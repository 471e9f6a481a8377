from __future__ import annotations

from tests.token_outcomes import climbed, measure
from weaklink.base.loop import Link
from weaklink.judge.rules._registry import find_rule

RULE = find_rule("PRB210")


def likely(probability):
    return climbed("PromptToken", measure("probability", "of each prompt's own token", probability))


def sick():
    return [likely(0.25), likely(0.0)]


def healthy():
    return [likely(0.99), likely(0.75)]


def test_blames_the_pairing():
    assert RULE.ask(likely(0.25)).link is Link.DATA
