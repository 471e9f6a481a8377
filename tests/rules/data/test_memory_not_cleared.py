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
        recurrent("lost in the loss"),
        unrolled("memory kept"),
    ]


def more_sick():
    return [
        recurrent("kept on both sides"),
        recurrent("kept at new starts on both sides"),
        recurrent("empty when acting"),
        recurrent("empty on both sides"),
    ]


def healthy():
    return [recurrent(), unrolled(), ppo()]


def more_healthy():
    return [side_by_side(), episodic()]


@pytest.mark.parametrize("fault", ["kept when acting", "kept in the loss"])
def test_says_behind_which_rows_answers_differ(fault):
    message = RULE.ask(recurrent(fault)).message
    assert "all of them after an end within the rollout" in message
    assert RULE.ask(recurrent()) is None


def test_a_loss_that_begins_with_an_empty_memory():
    answer = RULE.ask(recurrent("lost in the loss"))
    assert "episodes that had begun before the rollout" in answer.message
    assert answer.link == Link.DATA


def test_a_memory_that_outlives_episodes_on_both_sides_is_a_warning():
    answer = RULE.ask(recurrent("kept on both sides"))
    assert "never cleared at ends" in answer.message
    assert answer.level == Level.WARN
    assert answer.link == Link.POLICY


def test_what_a_layer_is_handed_where_no_two_episodes_begin_alike():
    answer = RULE.ask(recurrent("kept at new starts on both sides"))
    assert "that of the episode before" in answer.message
    assert (answer.level, answer.link) == (Level.WARN, Link.POLICY)


def test_a_layer_that_starts_from_nothing_before_every_step():
    alone, both = (RULE.ask(recurrent(f"empty {where}")) for where in ("when acting", "on both sides"))
    assert "acts without the memory that it learns with" in alone.message
    assert (alone.level, alone.link) == (Level.ERROR, Link.POLICY)
    assert "it can remember nothing" in both.message
    assert both.level == Level.WARN
