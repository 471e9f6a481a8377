from __future__ import annotations

import pytest

from tests.recoveries import episodic, ppo, recurrent, side_by_side, unrolled
from weaklink.base.finding import Level
from weaklink.base.loop import Link
from weaklink.judge.rules._registry import find_rule

RULE = find_rule("DAT210")


def sick():
    return [
        recurrent("kept when acting"),
        recurrent("kept in the loss"),
        unrolled("memory kept"),
        recurrent("kept on both sides"),
    ]


def healthy():
    return [recurrent(), unrolled(), ppo(), side_by_side(), episodic()]


@pytest.mark.parametrize("fault", ["kept when acting", "kept in the loss"])
def test_says_behind_which_rows_answers_differ(fault):
    message = RULE.ask(recurrent(fault)).message
    assert "all of them after an end within the rollout" in message
    assert RULE.ask(recurrent()) is None


def test_a_memory_that_outlives_episodes_on_both_sides_is_a_warning():
    answer = RULE.ask(recurrent("kept on both sides"))
    assert "never cleared at ends" in answer.message
    assert answer.level == Level.WARN
    assert answer.link == Link.POLICY
