from __future__ import annotations

from tests.recoveries import q_course, soft_course, v_trace_course
from weaklink.judge.rules._registry import find_rule

RULE = find_rule("OPT206")


def sick():
    return [q_course("other network", copied_every=10**9), soft_course("slow actor"), v_trace_course("copied once")]


def healthy():
    # a target network that is never written to does not act
    return [q_course(), q_course("never copied"), soft_course(), v_trace_course()]


def test_says_that_the_network_that_acts_stays_as_it_was():
    assert "never changes: after" in RULE.ask(q_course("other network", copied_every=10**9)).message
    assert "Actor.body.2, moved by 0." in RULE.ask(soft_course("slow actor")).message
    assert RULE.ask(soft_course()) is None


def test_what_never_changes_began_with_the_run():
    assert RULE.ask(q_course("other network", copied_every=10**9)).onset == 0.0
    assert RULE.ask(soft_course("slow actor")).onset is None
