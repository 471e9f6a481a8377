from __future__ import annotations

import numpy as np

from tests.worlds import changed, play, with_play, world
from weaklink.base.evidence.reachable import ReachedStates
from weaklink.base.finding import CannotTell, Level
from weaklink.judge.rules.task.goal_out_of_reach import goal_out_of_reach


def starts(*ways, whole=True):
    """Starts of a maze, by the steps to its exit; None where there is no way."""
    found = tuple(
        ReachedStates(seed=seed, states=40, whole=whole, nearest=way, prize=0.0 if way is None else 1.0)
        for seed, way in enumerate(ways)
    )
    return changed(world(), reached=found)


def telling(survey):
    """The same, where steps tell whether they are a success."""
    return with_play(survey, random=play(metrics={"is_success": np.zeros(5000)}))


def sick():
    return [starts(*[12] * 15, *[None] * 6), telling(starts(*[None] * 12))]


def healthy():
    return [
        world(),
        starts(*range(2, 20)),
        # one level that is hardly ever drawn
        starts(*range(2, 24), None),
        # too large to be tried to its end
        starts(*[None] * 12, whole=False),
    ]


def test_an_error_where_it_is_never_reached():
    assert goal_out_of_reach.rule.ask(sick()[0]).level is Level.WARN
    assert goal_out_of_reach.rule.ask(sick()[1]).level is Level.ERROR


def test_a_task_without_a_goal_is_not_judged():
    assert isinstance(goal_out_of_reach.rule.ask(starts(*[None] * 12)), CannotTell)
