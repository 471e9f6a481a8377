"""What each wrapper changes: what goes into it against what comes out, for rewards, ends, actions and observations."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from itertools import pairwise
from typing import Any

import numpy as np

from weaklink.base.evidence.protocols import Environment, LayerCall, LayerLog
from weaklink.base.evidence.series import Array
from weaklink.base.evidence.spaces import sample_space, unflatten_rows
from weaklink.base.evidence.survey import BOTH, TERMINATED, TRUNCATED
from weaklink.base.evidence.wrapping import WrapperLayer
from weaklink.collect.survey.masks import find_legal_play
from weaklink.collect.survey.session import SurveySession

STEPS = 800
"""Enough for several episodes of most tasks; a step costs twice what it does without listeners."""

ENOUGH_ENDS = 12

SHORTENED, LIMITS = 5, 4
"""Steps after which time limits come that random play would hardly live to see, and how many of them are played."""

WIDEST = 2048
"""Columns beyond which observations are not compared one by one."""

FEWEST_FREE, ROUNDING = 10, 1e-5
"""Different numbers off its bounds that a column must have for a line, and how far one may lie beside it, as a share of
the column's range: single precision."""

HARMLESS = frozenset({"PassiveEnvChecker", "OrderEnforcing", "TimeLimit", "RecordEpisodeStatistics", "Monitor"})
"""Wrappers that every environment has, and that change neither observation, nor action, nor reward."""


def examine_layers(session: SurveySession, environment: Environment) -> dict[str, Any]:
    """Plays some episodes and listens at every wrapper; nothing where there is none of the user's choice."""
    listen: Callable[[], AbstractContextManager[list[LayerLog]]] | None = getattr(environment, "layers", None)
    if listen is None or environment.facts.get("standard", True):
        return {}
    with listen() as logs:
        try:
            _play(session, environment, logs)
            _play_shortened(session, environment, logs)
        except Exception as error:
            session.blame(error, "step")
            return {}
        inside = logs[-1].package if logs else ""
        pairs = [(outer, inner) for outer, inner in pairwise(logs) if outer.name not in HARMLESS]
        found = [compare_layer(outer, inner, inside) for outer, inner in pairs]
    return {"layers": tuple(layer for layer in found if layer is not None)}


def _play(session: SurveySession, environment: Environment, logs: list[LayerLog], steps: int = STEPS) -> None:
    """Random play through the outermost layer, over several ends where there are any."""
    rng = np.random.default_rng(session.plan.seed + 5)
    actions = unflatten_rows(environment.action, sample_space(environment.action, steps, rng))
    environment.reset(session.plan.seed + 5)
    ends = 0
    legal = find_legal_play(environment)
    for action in actions if logs else []:
        observation, _, terminated, truncated, info = environment.step(legal.choose(action) if legal else action)
        if legal is not None:
            legal.look(observation, info)
        session.steps += 1
        session.tick()
        if terminated or truncated:
            ends += 1
            environment.reset(None)
        if session.over or ends >= ENOUGH_ENDS:
            break


def _play_shortened(session: SurveySession, environment: Environment, logs: list[LayerLog]) -> None:
    """Some more episodes up to a time limit that comes early: whoever keeps it to itself lets the play go on."""
    shortened: Callable[[int], AbstractContextManager[None]] | None = getattr(environment, "shortened", None)
    if shortened is None or any(call.truncated for log in logs for call in log.calls):
        return
    with shortened(SHORTENED):
        _play(session, environment, logs, SHORTENED * LIMITS)


def compare_layer(outer: LayerLog, within: LayerLog, inside: str) -> WrapperLayer | None:
    """One wrapper, from its own calls and those of the layer inside; None where it was never stepped."""
    inner = within.calls
    rows = [call for call in outer.calls if call.reward is not None]
    if not rows:
        return None
    made = [[one for one in inner[call.first : call.last] if one.reward is not None] for call in rows]
    stale, moved = _count_stale(outer.calls, inner)
    given, passed = _collect_actions(rows, made)
    starts_in, starts_out = _count_starts(outer.calls, inner)
    outside, inner_columns = _pair_columns(rows, made)
    return WrapperLayer(
        name=outer.name,
        package=outer.package,
        inside=inside,
        times=_count_times(outer.calls),
        paid_in=np.array([sum(_convert(one.reward) for one in calls) for calls in made], dtype=float),
        paid_last=np.array([_convert(calls[-1].reward) if calls else 0.0 for calls in made]),
        paid_out=np.array([_convert(call.reward) for call in rows]),
        ended_in=np.array([max((_read_end(one) for one in calls), default=0) for calls in made], dtype=np.int64),
        ended_out=np.array([_read_end(call) for call in rows], dtype=np.int64),
        actions_in=given,
        actions_out=passed,
        bounds=np.empty((0, 0)) if within.bounds is None else within.bounds,
        stale=stale,
        moved=moved,
        silenced=_find_silenced(outside, inner_columns),
        clipped=_find_clipped(outside, inner_columns),
        starts_in=starts_in,
        starts_out=starts_out,
    )


def _count_times(calls: list[LayerCall]) -> Any:
    times: list[int] = []
    now = 0
    for call in calls:
        if call.reward is None:
            now = 0
            continue
        times.append(now)
        now += 1
    return np.array(times, dtype=np.int64)


def _count_stale(calls: list[LayerCall], inner: list[LayerCall]) -> tuple[int, int]:
    """How many observations are those that came out of the layer inside one step earlier, of how many that moved.

    A wrapper that makes several steps of one may hand out what came after the first of them.
    """
    stale = moved = 0
    before: Any = None
    for call in calls:
        made = [one.observation for one in inner[call.first : call.last]]
        now = made[-1] if made else None
        earlier = [each for each in (before, *made[:-1]) if each is not None and not _is_same(now, each)]
        if call.reward is not None and earlier and not _is_same(now, before):
            moved += 1
            stale += any(_is_same(call.observation, each) for each in earlier)
        before = now
    return stale, moved


def _count_starts(calls: list[LayerCall], inner: list[LayerCall]) -> tuple[int, int]:
    """How many different first observations there were inside and outside, where both are arrays."""
    begun = [(call.observation, inner[call.last - 1].observation) for call in calls if _begins(call, inner)]
    if not all(isinstance(one, np.ndarray) and isinstance(other, np.ndarray) for one, other in begun):
        return 0, 0
    return len({other.tobytes() for _, other in begun}), len({one.tobytes() for one, _ in begun})


def _begins(call: LayerCall, inner: list[LayerCall]) -> bool:
    return call.reward is None and call.last > call.first and inner[call.last - 1].reward is None


def _is_same(first: Any, second: Any) -> bool:
    if isinstance(first, Mapping):
        return isinstance(second, Mapping) and all(key in second and _is_same(first[key], second[key]) for key in first)
    if isinstance(first, tuple):
        return isinstance(second, tuple) and all(_is_same(*pair) for pair in zip(first, second, strict=False))
    return bool(np.array_equal(np.asarray(first), np.asarray(second)))


def _collect_actions(rows: list[LayerCall], made: list[list[LayerCall]]) -> tuple[Array, Array]:
    """What was asked for, and what was passed on by the first step inside; empty where they are not comparable."""
    pairs = [(call.action, calls[0].action) for call, calls in zip(rows, made, strict=True) if calls]
    try:
        given = np.array([np.asarray(one, dtype=float).reshape(-1) for one, _ in pairs])
        passed = np.array([np.asarray(other, dtype=float).reshape(-1) for _, other in pairs])
    except (TypeError, ValueError):
        return np.empty((0, 0)), np.empty((0, 0))
    return (given, passed) if given.shape == passed.shape else (np.empty((0, 0)), np.empty((0, 0)))


def _pair_columns(rows: list[LayerCall], made: list[list[LayerCall]]) -> tuple[Array, Array]:
    """(n, columns) of what came out and of what went in, where both are arrays of one shape; else empty."""
    pairs = [(call.observation, calls[-1].observation) for call, calls in zip(rows, made, strict=True) if calls]
    plain = all(isinstance(one, np.ndarray) and isinstance(other, np.ndarray) for one, other in pairs)
    if not pairs or not plain or len({each.shape for pair in pairs for each in pair}) != 1 or pairs[0][0].size > WIDEST:
        return np.empty((0, 0)), np.empty((0, 0))
    outside, inside = (np.array(side, dtype=float).reshape(len(pairs), -1) for side in zip(*pairs, strict=True))
    return outside, inside


def _find_silenced(outside: Array, inside: Array) -> tuple[int, ...]:
    """The columns that change in the layer inside and never in this one."""
    if not len(inside):
        return ()
    return tuple(np.flatnonzero((inside != inside[0]).any(axis=0) & (outside == outside[0]).all(axis=0)).tolist())


def _find_clipped(outside: Array, inside: Array) -> tuple[tuple[int, float], ...]:
    """The columns that are a straight line of those inside but for a bound at which they are cut off, and the share of
    steps in which they are."""
    shares = ((column, _measure_clipped(outside[:, column], inside[:, column])) for column in range(outside.shape[1]))
    return tuple((column, share) for column, share in shares if share > 0.0)


def _measure_clipped(outside: Array, inside: Array) -> float:
    low, high = outside.min(), outside.max()
    free = (outside > low) & (outside < high)
    if len(np.unique(outside[free])) < FEWEST_FREE:
        return 0.0
    slope, offset = np.polyfit(inside[free], outside[free], 1)
    line, close = slope * inside + offset, ROUNDING * (high - low)
    if slope == 0.0 or np.any(np.abs(line - outside)[free] > close):
        return 0.0
    cut = ((outside == low) & (line < low - close)) | ((outside == high) & (line > high + close))
    beyond = np.any(np.abs(line - outside)[~free & ~cut] > close)
    return 0.0 if beyond else float(cut.mean())


def _read_end(call: LayerCall) -> int:
    if call.terminated and call.truncated:
        return BOTH
    return TERMINATED if call.terminated else TRUNCATED if call.truncated else 0


def _convert(reward: Any) -> float:
    try:
        return float(np.asarray(reward, dtype=float).item())
    except (TypeError, ValueError):
        return float("nan")
