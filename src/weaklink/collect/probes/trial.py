"""One training on one problem, and what the agent has learned from it."""

from __future__ import annotations

import inspect
import time
import traceback
from collections.abc import Callable
from importlib import import_module
from typing import Any

from weaklink.base.evidence.outcome import RungTrial
from weaklink.base.evidence.protocols import Trainer
from weaklink.base.outside.own_code import describe_error
from weaklink.collect.probes.probe import Probe
from weaklink.collect.probes.questions import AgentQuestions
from weaklink.collect.probes.recording import StepRecorder, summarise_behaviour

GAMMA = 0.9
"""The discount that trainers are asked for: far enough from 1 that a mistake in it shows within a few steps."""

ASSUMED_GAMMA = 0.99
SHOWN = ("value", "q", "log_prob", "sample", "reset", "temperature")
LONGEST_TOLD = 1500
LEAST_TAKEN = 0.5
"""The share of its steps below which a trainer that misses has ended early."""


def trial(train: Trainer, probe: Probe, steps: int, seed: int, *, gamma: float | None = None) -> RungTrial:
    """Trains once and asks; what the trainer raises is part of the trial."""
    recorder = StepRecorder()
    face = import_module("weaklink.adapters.gymnasium.probe").ProbeEnvironment
    given = pick_settings(train, gamma)
    began = time.monotonic()
    try:
        agent = train(lambda: face(probe, recorder), steps, seed, **given)
        known = _pick_gamma(agent, gamma, given)
        rows = recorder.rows()
        done = summarise_behaviour(rows, probe, recorder.steps)
        measures = AgentQuestions(agent, probe, known, done, {int(state) for state in rows[:, 0]}).measures()
    except (Exception, SystemExit) as error:
        return RungTrial(
            seed=seed,
            steps=steps,
            taken=recorder.steps,
            seconds=time.monotonic() - began,
            failure=describe_error(error),
            kind="raised",
            printed=_format_traceback(error),
        )
    early = 0 < done.steps < LEAST_TAKEN * steps and not all(measure.holds for measure in measures)
    return RungTrial(
        seed=seed,
        steps=steps,
        taken=done.steps,
        seconds=time.monotonic() - began,
        failure=f"it ended after {done.steps:,} of {steps:,} steps" if early else "",
        kind="short" if early else "",
        gamma=known,
        measures=measures,
        behaviour=done,
        shows=tuple(name for name in SHOWN if hasattr(agent, name)),
    )


def pick_settings(train: Callable[..., Any], gamma: float | None) -> dict[str, float]:
    """The discount, for trainers that take it: the user's, else the one at which mistakes show soonest."""
    try:
        parameters = inspect.signature(train).parameters
    except (TypeError, ValueError):
        return {}
    return {"gamma": GAMMA if gamma is None else gamma} if "gamma" in parameters else {}


def _pick_gamma(agent: object, said: float | None, given: dict[str, float]) -> float:
    """The discount to hold values against: what was asked for, else what the user says, else what the agent says."""
    if given:
        return given["gamma"]
    return said if said is not None else float(getattr(agent, "gamma", ASSUMED_GAMMA))


def _format_traceback(error: BaseException) -> str:
    """The end of the traceback, as it would have been printed."""
    return "".join(traceback.format_exception(error))[-LONGEST_TOLD:]
