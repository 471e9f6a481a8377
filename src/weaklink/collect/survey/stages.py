"""The stages of a survey, in their order, each handing over what it found as soon as it has it."""

from __future__ import annotations

import contextlib
import os
import time
import traceback
from collections.abc import Callable, Generator, Iterator
from functools import partial
from typing import Any

from weaklink.base.errors import UsageError, WeaklinkError
from weaklink.base.evidence.protocols import Environment
from weaklink.base.evidence.spaces import Space
from weaklink.base.evidence.survey import RANDOM, Play, Survey
from weaklink.base.outside.own_code import is_own
from weaklink.collect.survey import baselines
from weaklink.collect.survey.comparisons import check_action_effect, compare_instances
from weaklink.collect.survey.contract import check_contract
from weaklink.collect.survey.endings import examine_endings
from weaklink.collect.survey.exchanging import EXCHANGING, exchange_attributes
from weaklink.collect.survey.holding import record_held_state
from weaklink.collect.survey.lasting import find_lasting_courses
from weaklink.collect.survey.latency import measure_latency
from weaklink.collect.survey.layers import examine_layers
from weaklink.collect.survey.mapping import map_small_world
from weaklink.collect.survey.masks import examine_masks, refuses_invalid
from weaklink.collect.survey.members import examine_members
from weaklink.collect.survey.outlasting import outlast_failures
from weaklink.collect.survey.reading import read_code
from weaklink.collect.survey.resets import examine_resets
from weaklink.collect.survey.sampler import make_random_policy, pick_columns, play
from weaklink.collect.survey.search import search
from weaklink.collect.survey.session import OutOfMemory, PolicyFailed, SurveySession, SurveyStopped
from weaklink.collect.survey.swallowed import find_swallowed
from weaklink.collect.survey.sweeps import sweep_actions
from weaklink.collect.survey.tabular import play_tabular
from weaklink.collect.survey.timing import measure_timing
from weaklink.collect.survey.trials import try_actions

Part = dict[str, Any]

RESETS_OF_CHECKER = 12


def run_stages(session: SurveySession, policies: dict[str, Any]) -> Iterator[Part]:
    """Everything that can be found out in the time, part by part; what an environment did wrong comes last."""
    notes: list[str] = []
    try:
        with contextlib.closing(_list_stages(session, policies)) as every:
            for stage in every:
                part = _run_stage(session, stage, notes)
                if part:
                    yield part
    except (SurveyStopped, OutOfMemory) as stop:
        if isinstance(stop, OutOfMemory):
            with contextlib.suppress(SurveyStopped):
                session.blame(stop, "step")
    yield {
        "faults": tuple(session.faults),
        "memory": tuple(session.memory),
        "notes": tuple(notes),
        "seconds": session.clock() - session.began,
    }


def _run_stage(session: SurveySession, stage: Callable[[], Part], notes: list[str]) -> Part:
    """What a stage found. One that fails by a fault of ours is noted and left out: the others can still tell."""
    try:
        return stage()
    except (SurveyStopped, OutOfMemory, WeaklinkError):
        raise
    except PolicyFailed as error:
        notes.append(str(error))
        return {}
    except Exception as error:
        frames = traceback.extract_tb(error.__traceback__)
        if any(is_own(frame.filename) for frame in frames):
            session.blame(error, "make" if any(frame.name == "made" for frame in frames) else "step")
            return {}
        if os.environ.get("WEAKLINK_TRACEBACK"):
            raise
        notes.append(f"{session.stage}: skipped because of a bug in weaklink ({type(error).__name__}: {error}).")
        return {}


def _list_stages(session: SurveySession, policies: dict[str, Any]) -> Generator[Callable[[], Part]]:
    session.enter("making the environment", 1.0)
    things = baselines.load_policies(session, policies)
    began = time.perf_counter()
    environment = _make_environment(session)
    made_in = time.perf_counter() - began
    try:
        yield from _list_environment_stages(session, environment, things, made_in)
    finally:
        if not session.fresh:
            getattr(environment, "release", lambda: None)()
    if session.fresh:
        environment.close()


def _list_environment_stages(
    session: SurveySession, environment: Environment, things: dict[str, Any], made_in: float
) -> Iterator[Callable[[], Part]]:
    yield lambda: _describe_environment(environment)
    session.enter("reading its code", 0.05)
    yield lambda: read_code(environment)
    session.enter("the contract", 0.1)
    yield lambda: _check_contract(session, environment)
    if session.faults:
        raise SurveyStopped
    session.enter("timing", 0.04)
    yield lambda: measure_timing(session, environment, made_in)
    session.enter("resets", 0.05)
    yield lambda: examine_resets(session, environment)
    session.enter("random play", 0.25)
    yield lambda: _play_randomly(session, environment)
    random = session.random
    if random is None:
        raise SurveyStopped
    labels, kinds = _read_labels(environment.observation)
    session.enter("the same seed twice", 0.12)
    yield lambda: compare_instances(session, environment, labels)
    session.enter("other actions", 0.1)
    yield lambda: check_action_effect(session, environment)
    session.enter("sweeping actions", 0.2)
    yield lambda: sweep_actions(session, environment, random, kinds)
    session.enter("one changed action", 0.06)
    yield lambda: measure_latency(session, environment, random)
    session.enter("single actions", 0.12)
    yield lambda: try_actions(session, environment, random)
    session.enter("short episodes", 0.06)
    yield lambda: find_lasting_courses(session, environment, random)
    session.enter("lasting episodes", 0.15)
    yield lambda: outlast_failures(session, environment, random)
    session.enter("mapping a small world", 0.15)
    yield lambda: map_small_world(session, environment)
    session.enter("masks", 0.03)
    yield lambda: examine_masks(session, environment)
    session.enter("what is swallowed", 0.08)
    yield lambda: find_swallowed(session, environment)
    session.enter("after the end", 0.06)
    yield lambda: examine_endings(session, environment, random)
    session.enter("wrappers", 0.05)
    yield lambda: examine_layers(session, environment)
    session.enter("members", 0.15)
    yield lambda: examine_members(session, environment)
    session.enter("what it holds", 0.08)
    yield lambda: record_held_state(session, environment)
    session.enter(EXCHANGING, 0.12)
    yield lambda: exchange_attributes(session)
    yield from _list_baselines(session, environment, random, things)


def _make_environment(session: SurveySession) -> Environment:
    try:
        environment = session.make()
    except WeaklinkError:
        raise
    except Exception as error:
        session.blame(error, "make")
        raise SurveyStopped from error
    if not playable(environment.action):
        raise UsageError(
            "The action space contains something that is not an array of numbers (text, a graph, a sequence). Wrap the "
            "environment so that its actions are Box or Discrete spaces, or dicts and tuples of them."
        )
    return environment


def playable(space: Space) -> bool:
    """Whether actions can be drawn."""
    return space.kind != "other" and all(map(playable, space.parts.values()))


def _describe_environment(environment: Environment) -> Part:
    return {
        "observation": environment.observation,
        "action": environment.action,
        "facts": environment.facts,
        "seen_columns": pick_columns(environment.observation),
    }


def _check_contract(session: SurveySession, environment: Environment) -> Part:
    part = check_contract(session, environment)
    check: Callable[[], tuple[Any, ...]] | None = getattr(environment, "complaints", None)
    if check is None or session.faults:
        return part
    began = time.perf_counter()
    try:
        environment.reset(None)
    except Exception as error:
        session.blame(error, "reset")
        return part
    now = time.perf_counter()
    if RESETS_OF_CHECKER * (now - began) > 0.3 * (session.deadline - session.clock()):
        part["notes"] = (f"Gymnasium's checker was not run: a reset takes {now - began:.1f} seconds.",)
        return part
    if refuses_invalid(environment):
        part["notes"] = ("Gymnasium's checker was not run: it takes actions that the mask of the environment forbids.",)
        return part
    session.enter("checking with Gymnasium", 1.0)
    part["complaints"] = (*part["complaints"], *check())
    return part


def _play_randomly(session: SurveySession, environment: Environment) -> Part:
    plan = session.plan
    session.random = play(
        session,
        environment,
        make_random_policy(environment.action, session.rng),
        policy=RANDOM,
        told="uniform random actions",
        steps=plan.steps,
        episodes=plan.episodes,
        until=session.left(),
        keep=plan.steps,
    )
    return _make_part(session.random)


def _make_part(played: Play | None) -> Part:
    return {"plays": {played.policy: played}} if played is not None and len(played.lengths) else {}


def _read_labels(space: Space) -> tuple[tuple[str, ...], tuple[str, ...]]:
    seen = Survey(name="", observation=space, seen_columns=pick_columns(space))
    return seen.labels, seen.column_kinds


def _list_baselines(
    session: SurveySession, environment: Environment, random: Play, things: dict[str, Any]
) -> Iterator[Callable[[], Part]]:
    session.enter("baselines", 0.1)
    yield lambda: _make_part(baselines.play_zero(session, environment, session.left(0.5)))
    yield lambda: _make_part(baselines.play_constant(session, environment, session.left()))
    session.enter("your policies", 0.4)
    for name, played in baselines.prepare_plays(session, environment, things).items():
        yield partial(_play_given, name, played)
    session.enter("a table", 0.3)
    yield lambda: _make_part(play_tabular(session, environment, random, session.left()))
    session.enter("searching for a better policy", 0.95)
    yield lambda: _make_part(search(session, environment, random, session.left()))


def _play_given(name: str, played: Callable[[], Play]) -> Part:
    try:
        return _make_part(played())
    except PolicyFailed as error:
        raise PolicyFailed(f"{name}: skipped, because it raised {error}") from error
