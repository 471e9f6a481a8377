from __future__ import annotations

import pytest

from tests.recoveries import actor_critic, continuous, dqn, episodic, ppo, side_by_side
from weaklink.base.finding import CannotTell
from weaklink.judge.rules._registry import find_rule

RULE = find_rule("DAT207")


def sick():
    return [
        side_by_side("observation after"),
        side_by_side("one reward"),
        continuous("a part alone"),
        continuous("advantages mixed up"),
    ]


def healthy():
    return [
        side_by_side(),
        continuous(),
        continuous("narrow"),
        actor_critic(),
        actor_critic(limit=6),
        episodic(),
        ppo(),
    ]


@pytest.mark.parametrize(
    ("place", "words"),
    [
        (0, "observations that followed the actions"),
        (1, "one reward for all environments"),
        (2, "never learned from"),
        (3, "advantages of other rows exactly"),
    ],
)
def test_each_mistake_has_its_words(place, words):
    assert words in RULE.ask(sick()[place]).message


def test_replay_is_not_judged():
    assert isinstance(RULE.ask(dqn()), CannotTell)
