from __future__ import annotations

from tests.recoveries import dqn, q_course, q_loop, sac, soft_loop, steps_loop
from weaklink.judge.rules._registry import find_rule

RULE = find_rule("VAL207")


def sick():
    return [
        q_loop("copied", 1),
        soft_loop("tau swapped"),
        q_course("never copied"),
    ]


def more_sick():
    return [
        q_loop("shallow copy"),
        steps_loop("copied"),
    ]


def healthy():
    return [q_loop(), q_loop(copied_every=3), soft_loop()]


def more_healthy():
    return [soft_loop(seed=1), dqn(), sac(), q_course(), steps_loop()]


def test_names_the_rate():
    assert "moved 1 of the way" in RULE.ask(q_loop("copied", 1)).message
    assert "moved 0.98 of the way" in RULE.ask(soft_loop("tau swapped")).message
    assert "moved 1 of the way" in RULE.ask(steps_loop("copied")).message
    assert RULE.ask(soft_loop()) is None


def test_a_target_that_shares_its_weights_is_named():
    assert "`target_network` is no network of its own" in RULE.ask(q_loop("shallow copy")).message


def test_a_target_network_that_never_follows_is_named():
    assert "never follows: after" in RULE.ask(q_course("never copied")).message
    assert RULE.ask(q_course()) is None
