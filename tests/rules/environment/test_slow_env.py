from __future__ import annotations

import pytest

from tests.worlds import world
from weaklink.base.evidence.survey import StepTiming
from weaklink.base.finding import CannotTell, Finding, Level
from weaklink.base.loop import Link
from weaklink.judge.rules.environment.slow_env import slow_env


def timed(steps_per_second, total=None, spent=()):
    timing = StepTiming(
        make=0.1, reset=1e-3, step=1e-2, step_slowest=2e-2, steps_per_second=steps_per_second, spent=spent
    )
    return world({} if total is None else {"total_timesteps": total}, timing=timing)


def sick():
    waiting = (("<built-in method time.sleep>", 0.97),)
    return [timed(100.0, 50_000_000), timed(0.5, 50_000), timed(40.0, spent=waiting)]


def healthy():
    return [
        world(),
        timed(100.0, 1_000_000),
        timed(40_000.0, 1_000_000_000),
        timed(0.5),
        # slow by its own work, or waiting for a tenth of the time
        timed(40.0, spent=(("simulate (plant.py:3)", 0.97),)),
        timed(40.0, spent=(("simulate (plant.py:3)", 0.87), ("<built-in method time.sleep>", 0.1))),
    ]


def test_tells_how_long_and_where_the_time_goes():
    spent = (("render (view.py:10)", 0.3), ("step (env.py:3)", 0.6), ("norm", 0.06))
    answer = slow_env.rule.ask(timed(100.0, 50_000_000, spent))
    assert answer.level is Level.INFO
    assert "5.8 days" in answer.message
    assert "step (env.py:3) 60 %, render (view.py:10) 30 %, norm 6 %" in answer.message


def test_a_budget_can_be_set():
    assert slow_env.rule.ask(timed(100.0), {"budget": 1e6}) is None
    assert isinstance(slow_env.rule.ask(timed(100.0), {"budget": 1e8}), Finding)


@pytest.mark.parametrize("survey", [timed(100.0), timed(0.0, 1000), timed(float("nan"), 1000), world(timing=None)])
def test_cannot_tell_without_a_budget_or_without_a_time(survey):
    assert isinstance(slow_env.rule.ask(survey), CannotTell)


def test_waiting_is_an_alarm_whatever_is_planned():
    answer = slow_env.rule.ask(timed(40.0, spent=(("<built-in method time.sleep>", 0.97),)))
    assert (answer.severity, answer.link) == (Level.WARN, Link.SYSTEM)
    assert "97% of it is waiting" in answer.message
