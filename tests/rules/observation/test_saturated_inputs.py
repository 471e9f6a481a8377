from __future__ import annotations

from tests.recoveries import dqn, ppo, q_loop, soft_loop
from weaklink.judge.rules._registry import find_rule

RULE = find_rule("OBS204")


def sick():
    return [q_loop("saturated"), q_loop("one column", number=0)]


def healthy():
    return [q_loop(), q_loop("wide"), soft_loop()]


def more_healthy():
    return [dqn(), ppo()]


def test_says_how_many_entries_are_cut_off():
    assert "more entries of a typical column" in RULE.ask(q_loop("saturated")).message
    assert "more entries of column 2 than" in RULE.ask(q_loop("one column", number=0)).message
    assert RULE.ask(q_loop()) is None
