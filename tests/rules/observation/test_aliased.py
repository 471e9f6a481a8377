from __future__ import annotations

from tests.worlds import changed, world
from weaklink.base.finding import CannotTell, Level
from weaklink.judge.rules.observation.aliased import aliased


def sick():
    return changed(world(), in_place="camera")


def healthy():
    return world()


def test_names_what_was_changed():
    answer = aliased.rule.ask(sick())
    assert answer.severity is Level.ERROR
    assert answer.message == "An observation was changed in place after it had been returned, in camera."


def test_not_looked_at_is_not_clean():
    assert isinstance(aliased.rule.ask(changed(world(), in_place=None)), CannotTell)
    assert aliased.rule.ask(world()) is None
