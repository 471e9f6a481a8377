from __future__ import annotations

from tests.worlds import changed, world
from weaklink.base.evidence.reachable import ReachedStates
from weaklink.base.finding import CannotTell
from weaklink.judge.rules.reward.paying_loop import paying_loop


def mapped(*, loop, prize=1.0, limit=200, nearest=12):
    start = ReachedStates(seed=1, states=90, whole=True, nearest=nearest, prize=prize, loop=loop)
    return changed(world(), reached=(start,), facts={"max_episode_steps": limit} if limit else {})


def sick():
    return [mapped(loop=0.05), mapped(loop=0.05, limit=0), mapped(loop=0.2, prize=10.0)]


def healthy():
    return [
        world(),
        mapped(loop=0.0),
        # what circles pay over the whole time is less than the prize
        mapped(loop=0.004),
        # a task without an end that pays
        mapped(loop=1.0, prize=0.0, nearest=None),
    ]


def test_no_prize_is_known():
    assert isinstance(paying_loop.rule.ask(mapped(loop=1.0, prize=0.0, nearest=None)), CannotTell)
