from __future__ import annotations

from tests.worlds import world
from weaklink.base.evidence.survey import Survey, SurveyFault
from weaklink.base.finding import CannotTell, Level
from weaklink.judge.rules.environment.hang import hang


def stuck(call="step", kind="hung"):
    return SurveyFault(
        kind=kind,
        stage="random play",
        call=call,
        step=20,
        message="no sign of life for 20 seconds",
        where=("/home/me/env.py:12 in step",),
    )


def sick():
    return [world(faults=(stuck(),)), Survey(name="broken", faults=(stuck("make"),))]


def healthy():
    return [world(), world(faults=(stuck(kind="raised"),)), world(faults=(stuck(kind="memory"),))]


def test_names_call_and_place():
    answer = hang.rule.ask(world(faults=(stuck("reset"),)))
    assert answer.level is Level.ERROR
    assert answer.message.startswith("`reset` did not return after 20 steps (random play): no sign of life for 20")
    assert "at /home/me/env.py:12 in step" in answer.message


def test_cannot_tell_of_what_was_never_stepped():
    assert isinstance(hang.rule.ask(Survey(name="empty")), CannotTell)
