"""Surveys that are bounded by what they do, never by the clock: a machine that stalls changes nothing."""

from __future__ import annotations

import time
from typing import Any

import gymnasium as gym
import pytest

from weaklink.base.evidence.survey import Survey
from weaklink.collect.survey import SurveyPlan, surveyed
from weaklink.collect.survey.session import SurveyStopped

UNHURRIED = 86_400.0
"""Seconds, the most that a plan takes: its steps and its episodes are up long before."""


class StepClock(gym.Wrapper[Any, Any, Any, Any]):
    """The time of a survey is that of the steps of its environment, a thousandth of a second each."""

    now = 0.0

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        StepClock.now += 0.001
        return self.env.reset(seed=seed, options=options)

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        StepClock.now += 0.001
        return self.env.step(action)

    @classmethod
    def rule_over(cls, monkeypatch: pytest.MonkeyPatch) -> None:
        """From now on this is the clock of every survey."""
        monkeypatch.setattr(cls, "now", 0.0)
        monkeypatch.setattr(time, "perf_counter", lambda: cls.now)


def survey_before(stage: str, thing: object, *, steps: int, episodes: int) -> Survey:
    """What a survey has found when it comes to this stage, where what is asked about is known."""

    def stop(entered: str, made: int) -> None:
        if entered == stage:
            raise SurveyStopped

    return surveyed(thing, SurveyPlan(seconds=UNHURRIED, steps=steps, episodes=episodes), report=stop)
