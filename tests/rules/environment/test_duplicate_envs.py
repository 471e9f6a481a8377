from __future__ import annotations

from tests.worlds import world
from weaklink.base.evidence.endings import VectorMembers
from weaklink.base.finding import CannotTell, Level
from weaklink.judge.rules.environment.duplicate_envs import duplicate_envs


def gathered(*twins, count=4, **fields):
    return world(members=VectorMembers(count=count, framework="gymnasium", twins=twins), **fields)


def sick():
    return [gathered((0, 1)), gathered((0, 1), (0, 2), (1, 2)), gathered((2, 7), count=8)]


def healthy():
    return [
        world(),
        gathered(),
        gathered(count=1),
        # an environment that heeds neither seed nor action has no other choice
        gathered((0, 1), same_whatever_done=True),
    ]


def test_counts_the_copies():
    answer = duplicate_envs.rule.ask(gathered((0, 1), (0, 2), (1, 2)))
    assert answer.level is Level.ERROR
    assert "Members 0 and 1 and 2 more pairs of 4" in answer.message
    assert "3 members are copies" in answer.message


def test_cannot_tell_of_a_single_environment_or_of_one_that_heeds_nothing():
    assert isinstance(duplicate_envs.rule.ask(world()), CannotTell)
    assert isinstance(duplicate_envs.rule.ask(gathered((0, 1), same_whatever_done=True)), CannotTell)


def test_members_that_are_copies_only_without_a_seed_are_a_warning():
    copies = VectorMembers(count=4, framework="gymnasium", unseeded_twins=((0, 1), (2, 3)))
    answer = duplicate_envs.rule.ask(world(members=copies))
    assert answer.level is Level.WARN
    assert "in a new vector that is reset without a seed" in answer.message
