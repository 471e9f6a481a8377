from __future__ import annotations

from tests.recoveries import q_loop, sac, soft_loop
from weaklink.base.loop import Link
from weaklink.judge.rules._registry import find_rule

RULE = find_rule("VAL208")


def sick():
    return [soft_loop("entropy sign"), soft_loop("uncorrected"), soft_loop("no entropy")]


def healthy():
    return [soft_loop(), soft_loop(seed=1), sac()]


def more_healthy():
    return [sac(soft=False), q_loop()]


def test_says_what_is_wrong_with_the_entropy_term():
    assert "sign of the entropy term" in RULE.ask(soft_loop("entropy sign")).message
    assert RULE.ask(soft_loop("uncorrected")).link is Link.POLICY
    assert "hold no entropy term" in RULE.ask(soft_loop("no entropy")).message
    assert RULE.ask(soft_loop()) is None
