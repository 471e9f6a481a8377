"""Vector environments: are the members different, and is the end of an episode handed over whole?"""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np

from weaklink.base.evidence.endings import VectorMembers
from weaklink.base.evidence.protocols import Environment, VectorEnvironment
from weaklink.base.evidence.series import Array
from weaklink.base.evidence.spaces import sample_space
from weaklink.collect.survey.session import SurveySession

STEPS = 1500
FOR_TWINS = 50
ENOUGH_ENDS = 40


def examine_members(session: SurveySession, environment: Environment) -> dict[str, Any]:
    """Steps the whole vector for a while; nothing where the environment is not one of several."""
    vector: VectorEnvironment | None = getattr(environment, "vector", None)
    if vector is None:
        return {}
    try:
        return {"members": _watch_members(session, vector)}
    except Exception as error:
        session.blame(error, "step")
        return {}


def _watch_members(session: SurveySession, vector: VectorEnvironment) -> VectorMembers:
    firsts = np.asarray(vector.reset(session.plan.seed), dtype=float)
    twins = _find_twins(session, vector, session.plan.seed)
    unseeded = () if twins else _find_unseeded_twins(session)
    rows = np.asarray(vector.reset(session.plan.seed + 1), dtype=float)
    starts = [firsts, rows]
    ends = missing = wrong = unmarked = same_step = next_step = 0
    pending: dict[int, Array] = {}
    for _ in range(STEPS):
        actions = sample_space(vector.action, vector.count, session.rng)
        before = rows
        rows, _, terminated, truncated, infos = vector.step(actions)
        rows = np.asarray(rows, dtype=float)
        session.steps += vector.count
        session.tick()
        for member in list(pending):
            next_step += _like(rows[member], starts, pending.pop(member))
        for member in np.flatnonzero(np.asarray(terminated) | np.asarray(truncated)).tolist():
            ends += 1
            final = infos[member].get("final_observation")
            began_anew = _like(rows[member], starts, before[member])
            same_step += began_anew
            pending[member] = rows[member]
            handed_over = began_anew or vector.autoreset == "same_step"
            missing += handed_over and final is None
            wrong += handed_over and final is not None and np.allclose(final, rows[member], equal_nan=True)
            unmarked += bool(infos[member].get("truncation_unmarked", False))
        if ends >= ENOUGH_ENDS or session.over:
            break
    return VectorMembers(
        count=vector.count,
        framework=vector.framework,
        autoreset=vector.autoreset,
        autoreset_seen="" if vector.autoreset == "disabled" else _classify_autoreset(ends, same_step, next_step),
        twins=twins,
        unseeded_twins=unseeded,
        ends=ends,
        finals_missing=missing,
        finals_wrong=wrong,
        truncations_unmarked=unmarked,
    )


def _find_unseeded_twins(session: SurveySession) -> tuple[tuple[int, int], ...]:
    """Those of a new vector that is given no seed; nothing where no new one can be made."""
    if not session.fresh or session.over:
        return ()
    environment = session.make()
    try:
        vector: VectorEnvironment | None = getattr(environment, "vector", None)
        return () if vector is None else _find_twins(session, vector, None)
    finally:
        environment.close()


def _find_twins(session: SurveySession, vector: VectorEnvironment, seed: int | None) -> tuple[tuple[int, int], ...]:
    """Pairs of members whose observations are the same throughout although each may do as it likes.

    All take the same actions here: members of their own seeds differ nevertheless, in what they start from or meet.
    """
    same = vector.shared()
    if same:
        return tuple(same)
    seen = [np.asarray(vector.reset(seed), dtype=float)]
    for _ in range(FOR_TWINS):
        action = np.repeat(sample_space(vector.action, 1, session.rng), vector.count, axis=0)
        seen.append(np.asarray(vector.step(action)[0], dtype=float))
        session.steps += vector.count
        session.tick()
        if session.over:
            break
    courses = np.array(seen)
    if all(np.array_equal(courses[0, 0], first) for first in courses[0]) and _starts_alike(session, vector):
        return ()
    return tuple(
        (one, other)
        for one, other in combinations(range(min(vector.count, 16)), 2)
        if np.array_equal(courses[:, one], courses[:, other], equal_nan=True)
    )


def _starts_alike(session: SurveySession, vector: VectorEnvironment) -> bool:
    """Whether every episode starts alike and goes alike whatever the seed: then members cannot help being the same."""
    courses = []
    for seed in (101, 202):
        seen = [np.asarray(vector.reset(seed), dtype=float)[0]]
        rng = np.random.default_rng(0)
        for _ in range(20):
            action = np.repeat(sample_space(vector.action, 1, rng), vector.count, axis=0)
            seen.append(np.asarray(vector.step(action)[0], dtype=float)[0])
            session.tick()
        courses.append(np.array(seen))
    return bool(np.array_equal(courses[0], courses[1], equal_nan=True))


def _like(row: Array, starts: list[Array], before: Array) -> bool:
    """Whether an observation is nearer to the beginnings of episodes than to the one before it."""
    to_start = min(float(np.abs(start - row).max(axis=1).min()) for start in starts)
    return to_start < 0.5 * float(np.abs(before - row).max(initial=0.0))


def _classify_autoreset(ends: int, same_step: int, next_step: int) -> str:
    if ends < 5:
        return ""
    if same_step > 0.8 * ends:
        return "same_step"
    return "next_step" if next_step > 0.6 * ends else ""
