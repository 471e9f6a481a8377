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
from weaklink.collect.survey.comparisons import comparisons, same_whatever_done
from weaklink.collect.survey.contract import contract
from weaklink.collect.survey.endings import endings
from weaklink.collect.survey.masks import masks
from weaklink.collect.survey.members import members
from weaklink.collect.survey.resets import resets
from weaklink.collect.survey.sampler import kept_columns, play, random_policy
from weaklink.collect.survey.search import search
from weaklink.collect.survey.session import OutOfMemory, PolicyFailed, Session, Stopped
from weaklink.collect.survey.swallowed import swallowed
from weaklink.collect.survey.sweeps import sweeps
from weaklink.collect.survey.tabular import tabular
from weaklink.collect.survey.timing import timing

Part = dict[str, Any]

RESETS_OF_CHECKER = 12


def stages(session: Session, policies: dict[str, Any]) -> Iterator[Part]:
    """Everything that can be found out in the time, part by part; what an environment did wrong comes last."""
    notes: list[str] = []
    try:
        with contextlib.closing(_stages(session, policies)) as every:
            for stage in every:
                part = _carried_out(session, stage, notes)
                if part:
                    yield part
    except (Stopped, OutOfMemory) as stop:
        if isinstance(stop, OutOfMemory):
            with contextlib.suppress(Stopped):
                session.blame(stop, "step")
    yield {
        "faults": tuple(session.faults),
        "memory": tuple(session.memory),
        "notes": tuple(notes),
        "seconds": time.perf_counter() - session.began,
    }


def _carried_out(session: Session, stage: Callable[[], Part], notes: list[str]) -> Part:
    """What a stage found. One that fails by a fault of ours is noted and left out: the others can still tell."""
    try:
        return stage()
    except (Stopped, OutOfMemory, WeaklinkError):
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


def _stages(session: Session, policies: dict[str, Any]) -> Generator[Callable[[], Part]]:
    session.enter("making the environment", 1.0)
    things = baselines.wanted(session, policies)
    began = time.perf_counter()
    environment = _made(session)
    made_in = time.perf_counter() - began
    try:
        yield from _of_environment(session, environment, things, made_in)
    finally:
        if not session.fresh:
            getattr(environment, "release", lambda: None)()
    if session.fresh:
        environment.close()


def _of_environment(
    session: Session, environment: Environment, things: dict[str, Any], made_in: float
) -> Iterator[Callable[[], Part]]:
    yield lambda: _description(environment)
    session.enter("the contract", 0.1)
    yield lambda: _contracted(session, environment)
    if session.faults:
        raise Stopped
    session.enter("timing", 0.04)
    yield lambda: timing(session, environment, made_in)
    session.enter("resets", 0.05)
    yield lambda: resets(session, environment)
    session.enter("random play", 0.25)
    yield lambda: _random_play(session, environment)
    random = session.random
    if random is None:
        raise Stopped
    labels, kinds = _labels(environment.observation)
    session.enter("the same seed twice", 0.12)
    yield lambda: comparisons(session, environment, labels)
    session.enter("other actions", 0.1)
    yield lambda: same_whatever_done(session, environment)
    session.enter("sweeping actions", 0.2)
    yield lambda: sweeps(session, environment, random, kinds)
    session.enter("masks", 0.02)
    yield lambda: masks(session, environment)
    session.enter("what is swallowed", 0.08)
    yield lambda: swallowed(session, environment)
    session.enter("after the end", 0.06)
    yield lambda: endings(session, environment, random)
    session.enter("members", 0.15)
    yield lambda: members(session, environment)
    yield from _baselines(session, environment, random, things)


def _made(session: Session) -> Environment:
    try:
        environment = session.make()
    except WeaklinkError:
        raise
    except Exception as error:
        session.blame(error, "make")
        raise Stopped from error
    if not playable(environment.action):
        raise UsageError(
            "The action space contains something that is not an array of numbers (text, a graph, a sequence). Wrap the "
            "environment so that its actions are Box or Discrete spaces, or dicts and tuples of them."
        )
    return environment


def playable(space: Space) -> bool:
    """Whether actions can be drawn."""
    return space.kind != "other" and all(map(playable, space.parts.values()))


def _description(environment: Environment) -> Part:
    return {
        "observation": environment.observation,
        "action": environment.action,
        "facts": environment.facts,
        "seen_columns": kept_columns(environment.observation),
    }


def _contracted(session: Session, environment: Environment) -> Part:
    part = contract(session, environment)
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
    if RESETS_OF_CHECKER * (now - began) > 0.3 * (session.deadline - now):
        part["notes"] = (f"Gymnasium's checker was not run: a reset takes {now - began:.1f} seconds.",)
        return part
    session.enter("checking with Gymnasium", 1.0)
    part["complaints"] = (*part["complaints"], *check())
    return part


def _random_play(session: Session, environment: Environment) -> Part:
    plan = session.plan
    session.random = play(
        session,
        environment,
        random_policy(environment.action, session.rng),
        policy=RANDOM,
        told="uniform random actions",
        steps=plan.steps,
        episodes=plan.episodes,
        until=session.left(),
        keep=plan.steps,
    )
    return _part(session.random)


def _part(played: Play | None) -> Part:
    return {"plays": {played.policy: played}} if played is not None and len(played.lengths) else {}


def _labels(space: Space) -> tuple[tuple[str, ...], tuple[str, ...]]:
    seen = Survey(name="", observation=space, seen_columns=kept_columns(space))
    return seen.labels, seen.column_kinds


def _baselines(
    session: Session, environment: Environment, random: Play, things: dict[str, Any]
) -> Iterator[Callable[[], Part]]:
    session.enter("baselines", 0.1)
    yield lambda: _part(baselines.zero(session, environment, session.left(0.5)))
    yield lambda: _part(baselines.constant(session, environment, session.left()))
    session.enter("your policies", 0.4)
    for name, played in baselines.given(session, environment, things).items():
        yield partial(_given, name, played)
    session.enter("a table", 0.3)
    yield lambda: _part(tabular(session, environment, random, session.left()))
    session.enter("searching for a better policy", 0.95)
    yield lambda: _part(search(session, environment, random, session.left()))


def _given(name: str, played: Callable[[], Play]) -> Part:
    try:
        return _part(played())
    except PolicyFailed as error:
        raise PolicyFailed(f"{name}: skipped, because it raised {error}") from error
