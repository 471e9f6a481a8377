from __future__ import annotations

from dataclasses import replace

from tests.recoveries import actor_critic, ppo
from weaklink.base.evidence.recovered import RecoveredUpdate
from weaklink.base.evidence.rollout import Rollout
from weaklink.base.finding import Level
from weaklink.judge.rules._registry import find_rule

RULE = find_rule("ENV201")


def sick():
    return [actor_critic("no reset")]


def healthy():
    return [actor_critic(limit=6), actor_critic(), actor_critic("resets itself", limit=6), ppo()]


def test_a_step_behind_each_of_some_long_episodes_is_information():
    past = RecoveredUpdate(past_end=4, stepped=800)
    assert RULE.ask(Rollout(step=800.0, update=1, recovered=past)).level is Level.INFO
    assert RULE.ask(Rollout(step=800.0, update=1, recovered=replace(past, past_end=40))).level is Level.ERROR


def test_counts_them():
    assert "without a reset" in RULE.ask(sick()[0]).message
