from __future__ import annotations

from tests.recoveries import actor_critic, dqn, ppo
from weaklink.base.finding import CannotTell
from weaklink.judge.rules._registry import find_rule

RULE = find_rule("DAT205")


def sick():
    return [actor_critic("stale rows"), actor_critic("rows kept")]


def healthy():
    return [actor_critic(), actor_critic(limit=6), ppo(), dqn()]


def test_only_loops_of_short_rollouts_are_judged():
    assert "belong to an earlier rollout" in RULE.ask(sick()[0]).message
    assert RULE.ask(actor_critic()) is None
    assert isinstance(RULE.ask(ppo()), CannotTell)
    assert isinstance(RULE.ask(dqn()), CannotTell)
