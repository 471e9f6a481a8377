from __future__ import annotations

from tests.recoveries import actor_critic, ppo
from weaklink.judge.rules._registry import find_rule

RULE = find_rule("ENV201")


def sick():
    return [actor_critic("no reset")]


def healthy():
    return [actor_critic(limit=6), actor_critic(), actor_critic("resets itself", limit=6), ppo()]


def test_counts_them():
    assert "without a reset" in RULE.ask(sick()[0]).message
