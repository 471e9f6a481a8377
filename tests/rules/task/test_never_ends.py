from __future__ import annotations

from tests.worlds import play, with_play, world
from weaklink.base.evidence.survey import CUT, LIMITED, Survey
from weaklink.base.finding import CannotTell
from weaklink.judge.rules._registry import find_rule


def endless(**given) -> Survey:
    one = play("random", lengths=[10_000, 1000, 500], ends=[LIMITED, LIMITED, CUT], **given)
    return world(plays={"random": one})


def sick():
    return [endless(), world(plays={"random": play("random", lengths=[3000], ends=CUT)})]


def healthy():
    some_end = with_play(endless(), search=play("search"))
    return [world(), some_end]


def test_too_short_a_look_cannot_tell():
    short = world(plays={"random": play("random", lengths=[300], ends=CUT)})
    assert isinstance(find_rule("TSK108").ask(short), CannotTell)
