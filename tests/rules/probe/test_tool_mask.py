from __future__ import annotations

from tests.token_outcomes import climbed, measure
from weaklink.base.loop import Link
from weaklink.judge.rules._registry import find_rule

RULE = find_rule("PRB204")


def share(of_tools):
    return climbed("ToolMask", measure("gradient share", "tokens of tools", of_tools))


def sick():
    return [share(0.23), share(0.01)]


def healthy():
    return [share(0.0), share(2e-4)]


def test_blames_the_mask():
    assert RULE.ask(share(0.23)).link is Link.DATA
