from __future__ import annotations

import gymnasium as gym
import numpy as np
import pytest

from tests.surveying import survey_before
from tests.worlds import world
from weaklink.base.evidence.survey import CheckerComplaint, Survey, SurveyFault
from weaklink.base.finding import CannotTell, Finding, Level
from weaklink.base.loop import Link
from weaklink.judge.rules.environment.crash import crash

PLACES = ("/home/me/env.py:57 in step", "/venv/lib/python3.11/site-packages/numpy/linalg.py:9 in inv")


def failed(**fields):
    given = {
        "kind": "raised",
        "stage": "random play",
        "call": "step",
        "step": 1234,
        "message": "LinAlgError: Singular matrix",
        "where": PLACES,
    }
    return SurveyFault(**(given | fields))


def sick():
    return [
        world(faults=(failed(),)),
        world(faults=(failed(kind="died", message="killed by SIGSEGV", where=()),)),
        Survey(name="broken", faults=(failed(call="make", step=0, stage="making the environment"),)),
        Survey(name="broken", complaints=(), faults=(failed(call="reset", message="KeyError: 'goal'"),)),
        world(faults=(failed(message="", where=()),)),
    ]


def healthy():
    return [
        world(),
        world(faults=(failed(kind="hung"),)),
        world(faults=(failed(kind="memory"),)),
        # a breach of the contract, which has a rule of its own
        world(
            faults=(failed(message="TypeError: Env.reset() got an unexpected keyword argument 'seed'", call="reset"),)
        ),
        world(faults=(failed(message="ValueError: too many values to unpack (expected 2)", call="reset", where=()),)),
        # what came of one in the survey's own code
        world(
            complaints=(CheckerComplaint(source="weaklink", level="error", text="the reward must be one number"),),
            faults=(failed(message="TypeError: float() argument must be a string", where=()),),
        ),
    ]


def test_names_call_stage_step_message_and_place():
    answer = crash.rule.ask(world(faults=(failed(),)))
    assert answer.level is Level.ERROR
    assert answer.message == (
        "`step` raised after 1,234 steps (random play): LinAlgError: Singular matrix, at /home/me/env.py:57 in step."
    )


def test_a_library_is_named_where_there_is_nothing_else():
    assert "linalg.py:9" in crash.rule.ask(world(faults=(failed(where=PLACES[1:]),))).message


@pytest.mark.parametrize("call", ["make", "reset"])
def test_what_comes_first_leaves_nothing_to_judge(call):
    assert "nothing after it could be judged" in crash.rule.ask(world(faults=(failed(call=call),))).message


def test_the_same_crash_is_told_once_and_others_beside_it():
    assert isinstance(crash.rule.ask(world(faults=(failed(), failed(step=99)))), Finding)
    assert len(crash.rule.ask(world(faults=(failed(), failed(call="reset"))))) == 2


def test_cannot_tell_of_what_was_never_stepped():
    assert isinstance(crash.rule.ask(Survey(name="empty")), CannotTell)


class Tolls(gym.Env):
    """Five tolls to choose from, and a table with as many, or with one too few."""

    action_space = gym.spaces.Discrete(5)
    observation_space = gym.spaces.Box(0.0, 9.0, (1,), np.float32)

    def __init__(self, count):
        self.tolls = [float(toll) for toll in range(count)]

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        return np.zeros(1, dtype=np.float32), {}

    def step(self, action):
        toll = self.tolls[action]
        return np.array([toll], dtype=np.float32), toll, False, toll > 2.0, {}


def test_a_choice_that_raises_at_once_is_the_fault_of_the_action_space():
    answer = crash.rule.ask(survey_before("timing", lambda: Tolls(4), steps=200, episodes=2))
    assert answer.link is Link.ACTION
    assert "it does so with the choice 4 and no other" in answer.message
    assert not isinstance(crash.rule.ask(survey_before("resets", lambda: Tolls(5), steps=200, episodes=2)), Finding)
    assert crash.rule.ask(sick()[0]).link is Link.ENVIRONMENT
