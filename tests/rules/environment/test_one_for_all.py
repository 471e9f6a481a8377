from __future__ import annotations

from tests.recoveries import actor_critic, dqn, episodic, ppo, side_by_side
from weaklink.judge.rules._registry import find_rule

RULE = find_rule("ENV203")


def sick():
    return [side_by_side("one environment")]


def healthy():
    return [side_by_side(), episodic(), actor_critic()]


def more_healthy():
    return [ppo(), dqn()]


def test_counts_the_places():
    assert "asked about 4 observations at a time" in RULE.ask(sick()[0]).message
    assert RULE.ask(side_by_side()) is None
