from __future__ import annotations

import re

from tests.recoveries import actor_critic, continuous, dqn, episodic, ppo, td3_loop, unrolled
from weaklink.base.finding import CannotTell
from weaklink.judge.rules._registry import find_rule

RULE = find_rule("OPT204")


def sick():
    return [
        actor_critic("gradient cleared"),
        actor_critic("gradient kept"),
        actor_critic("critic left out"),
        episodic("other optimizer", 9),
        continuous("log_std left out"),
        td3_loop("cleared early", number=1),
        actor_critic("clipped early"),
        actor_critic("gradient kept, clipped"),
        actor_critic("gradient kept, clipped", choices=2),
        unrolled("memory left out"),
        unrolled("memory left out", by_method=True),
    ]


def healthy():
    return [
        actor_critic(),
        actor_critic("sign flipped"),
        actor_critic("curious"),
    ]


def more_healthy():
    return [
        actor_critic("clipped"),
        actor_critic("clipped", choices=2),
        ppo(),
        dqn(),
        episodic("", 9),
        continuous(),
        td3_loop(),
        unrolled(),
        unrolled(by_method=True),
    ]


def test_says_what_became_of_the_gradient():
    cleared, kept, left, other, spread, leaked, clipped, both, few, *memories = (
        RULE.ask(case).message for case in sick()
    )
    assert "is zero when the optimizer steps" in cleared
    assert "never set to zero" in kept
    assert "no optimizer that steps holds" in left
    assert re.search(r"Agent(\(\d+\))?\.critic", left)  # numbered where other tests left agents of the same class alive
    assert "no optimizer that steps holds" in other
    assert ".log_std, but no optimizer that steps holds" in spread
    assert "also holds what the loss of an actor asked of it" in leaked
    assert "clip_grad_norm_ was called with 0.1" in clipped
    assert "never set to zero" in both
    assert ".critic also holds that of the step before" in few
    assert all(".cell, but no optimizer that steps holds" in each for each in memories)


def test_an_update_whose_heads_nobody_compared_is_not_judged():
    assert isinstance(RULE.ask(ppo()), CannotTell)
    assert RULE.ask(actor_critic()) is None
    assert RULE.ask(actor_critic("curious")) is None
