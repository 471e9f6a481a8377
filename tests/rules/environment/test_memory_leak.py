from __future__ import annotations

import numpy as np
import pytest

from tests.worlds import play, with_play, world
from weaklink.base.evidence.survey import Survey, SurveyFault
from weaklink.base.finding import CannotTell, Finding, Level
from weaklink.judge.rules.environment.memory_leak import memory_leak

LOOKS = np.arange(20)
WIDE = np.zeros((5000, 500))


def using(megabytes, looks=LOOKS):
    """A world whose process uses so many megabytes at each look."""
    used = 200 + np.broadcast_to(megabytes, len(looks))
    return world(memory=tuple((int(1000 * look), int(1e6 * mega)) for look, mega in zip(looks, used, strict=True)))


def sick():
    noise = np.random.default_rng(0).normal(0, 0.5, len(LOOKS))
    return [
        using(5.0 * LOOKS),
        using(4.0 * LOOKS + noise),
        using(3.0 * LOOKS**1.3),
        Survey(
            name="broken",
            faults=(SurveyFault(kind="memory", stage="random play", call="step", step=4000, message="4,100 MB more"),),
        ),
    ]


def healthy():
    once = np.where(LOOKS > 12, 300.0, 0.0)
    return [
        world(),
        using(0.2 * LOOKS),
        # a cache that fills, a library that is loaded late, and memory that comes and goes
        using(200 * (1 - np.exp(-LOOKS / 3.0))),
        using(once),
        using(once + 0.1 * LOOKS),
        using(100.0 * (LOOKS % 4)),
        using(300.0 - 5.0 * LOOKS),
        # what the survey itself keeps of wide observations grows too
        with_play(using(3.0 * LOOKS), random=play(observations=WIDE, successors=WIDE)),
    ]


def test_levels_and_figures():
    answer = memory_leak.rule.ask(using(5.0 * LOOKS))
    assert answer.level is Level.WARN
    assert "5,000 bytes a step, or 50.0 GB in ten million steps" in answer.message
    fault = memory_leak.rule.ask(sick()[-1])
    assert fault.level is Level.ERROR
    assert "after 4,000 steps" in fault.message


@pytest.mark.parametrize("looks", [LOOKS[:5], LOOKS[:0], np.zeros(20)])
def test_cannot_tell_from_few_looks(looks):
    assert isinstance(memory_leak.rule.ask(using(5.0 * np.arange(len(looks)), looks)), CannotTell)


def test_other_faults_are_no_leak():
    fault = SurveyFault(kind="raised", stage="random play")
    assert not isinstance(memory_leak.rule.ask(Survey(name="broken", faults=(fault,))), Finding)
