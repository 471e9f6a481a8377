"""How long making, resetting and stepping take, and where the time of a step goes."""

from __future__ import annotations

import cProfile
import pstats
import time
from typing import Any

import numpy as np

from weaklink.base.evidence.protocols import Environment
from weaklink.base.evidence.spaces import sample_space, unflatten_rows
from weaklink.base.evidence.survey import StepTiming
from weaklink.base.stats import quantile
from weaklink.collect.survey.session import SurveySession

STEPS = 500
PROFILED = 100
SHOWN = 5
FEWEST_PROFILED = 3
"""Steps that are profiled even where the time is up: a slow environment is the one to ask where its time goes."""

SLOW = 1e-3
"""Seconds of a step from which on every step is worth a look at the clock."""


def measure_timing(session: SurveySession, environment: Environment, made_in: float) -> dict[str, Any]:
    """Times steps one by one, then profiles a few more."""
    actions = unflatten_rows(environment.action, sample_space(environment.action, STEPS + PROFILED, session.rng))
    step_times: list[float] = []
    reset_times: list[float] = []
    clock = time.perf_counter
    try:
        environment.reset(session.plan.seed)
        for action in actions[:STEPS]:
            began = clock()
            _, _, terminated, truncated, _ = environment.step(action)
            step_times.append(clock() - began)
            session.steps += 1
            session.tick()
            if terminated or truncated:
                began = clock()
                environment.reset(None)
                reset_times.append(clock() - began)
            if session.over:
                break
        spent = _profile_steps(session, environment, actions[STEPS:])
    except Exception as error:
        session.blame(error, "step")
        return {}
    if not reset_times:
        began = clock()
        environment.reset(None)
        reset_times.append(clock() - began)
    steps, again = np.array(step_times), np.array(reset_times)
    if float(quantile(steps, 0.5)) > SLOW:
        session.mask = 0
    whole = float(steps.sum() + again.sum())
    return {
        "timing": StepTiming(
            make=made_in,
            reset=float(quantile(again, 0.5)),
            step=float(quantile(steps, 0.5)),
            step_slowest=float(quantile(steps, 0.99)),
            steps_per_second=len(steps) / max(whole, 1e-9),
            spent=spent,
        )
    }


def _profile_steps(
    session: SurveySession, environment: Environment, actions: list[Any]
) -> tuple[tuple[str, float], ...]:
    """The functions that take most of a step's time, each without what it calls, as shares."""
    profile = cProfile.Profile()
    environment.reset(None)
    for place, action in enumerate(actions):
        if session.over and place >= FEWEST_PROFILED:
            break
        profile.enable()
        try:
            _, _, terminated, truncated, _ = environment.step(action)
        finally:
            profile.disable()
        session.steps += 1
        session.tick()
        if terminated or truncated:
            environment.reset(None)
    if not profile.getstats():
        return ()
    table: dict[tuple[str, int, str], tuple[int, int, float, float, Any]] = pstats.Stats(profile).stats  # type: ignore[attr-defined]
    whole = sum(row[2] for row in table.values()) or 1.0
    top = sorted(table.items(), key=lambda item: -item[1][2])[:SHOWN]
    return tuple((_describe_place(*place), row[2] / whole) for place, row in top if row[2] > 0.05 * whole)


def _describe_place(file: str, line: int, function: str) -> str:
    return function if file == "~" else f"{function} ({file.rsplit('/', 1)[-1]}:{line})"
