"""Each dimension of the action taken through its range from the same states: what does it do?"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import msgspec
import numpy as np

from weaklink.base.evidence.acting import ActionSweep
from weaklink.base.evidence.protocols import Environment
from weaklink.base.evidence.series import Array
from weaklink.base.evidence.spaces import (
    Column,
    Space,
    find_rest_action,
    list_positions,
    sample_space,
    unflatten,
    unflatten_rows,
)
from weaklink.base.evidence.survey import Play
from weaklink.base.stats import level
from weaklink.collect.survey.comparisons import Trajectory, play_trajectory
from weaklink.collect.survey.fine_sweeps import sweep_finely
from weaklink.collect.survey.session import SurveySession

STATES = 8
LONGEST_PREFIX = 40
NEAR, FAR = 2, 12
VALUES = (-1.0, -0.5, -0.1, 0.0, 0.1, 0.5, 1.0)
MOST_CHOICES = 18
MOST_DIMENSIONS = 64
CONFIRMING = 16
"""More states for choices that do the same: a way back that is not allowed does so wherever one goes the same way."""


OWN_STARTS, OWN_SEED, FEWEST_MOVED = 24, 300, 6
"""Starts from which it is looked whether choices that do the same do something of their own, and how many must tell."""


class SweepOutcome(msgspec.Struct, frozen=True):
    """What followed from one value: the observations of the held action, and the rewards summed."""

    rows: Array
    paid: Array


def sweep_actions(
    session: SurveySession, environment: Environment, random: Play, kinds: tuple[str, ...]
) -> dict[str, Any]:
    """Sweeps every dimension, as many states as time allows; nothing where a state cannot be reached twice."""
    if not session.deterministic or random.observations is None or not environment.action.size:
        return {}
    scale = _measure_scales(random.observations, kinds)
    columns = list(enumerate(environment.action.columns))[:MOST_DIMENSIONS]
    longest = int(min(LONGEST_PREFIX, max(level(random.lengths.astype(float)) // 2, 1)))
    gathered: dict[int, list[list[SweepOutcome]]] = {place: [] for place, _ in columns}
    for seed in range(STATES):
        for place, column in columns:
            if session.over and (gathered[place] or seed):
                continue
            values = pick_values(environment.action, place, column)
            reached = _sweep_one_state(session, environment, seed, place, values, longest)
            if reached is not None:
                gathered[place].append(reached)
    made = [_summarise_sweep(environment.action, place, column, gathered[place], scale) for place, column in columns]
    swept = (_confirm_alike(session, environment, one, random) for one in made if one is not None)
    told = [msgspec.structs.replace(one, own=_measure_own(session, environment, one)) for one in swept]
    return {"sweeps": tuple(sweep_finely(session, environment, one, longest) for one in told)}


def _confirm_alike(session: SurveySession, environment: Environment, sweep: ActionSweep, random: Play) -> ActionSweep:
    """The same, its groups of choices split where they differ in any of more states, further into episodes."""
    column = environment.action.columns[sweep.dimension]
    groups = [] if column.kind == "number" else [list(group) for group in sweep.alike]
    longest = int(min(LONGEST_PREFIX, max(level(random.lengths.astype(float)), 1)))
    for seed in range(STATES, STATES + CONFIRMING):
        if not groups or session.over:
            break
        for group in groups:
            tried = [sweep.values[place] for place in group]
            reached = _sweep_one_state(session, environment, seed, sweep.dimension, tried, longest)
            alike = [0] if reached is None else _find_same(reached, 0)
            group[:] = group if reached is None else [group[place] for place in alike]
        groups = [group for group in groups if len(group) > 1]
    return sweep if column.kind == "number" else msgspec.structs.replace(sweep, alike=tuple(map(tuple, groups)))


def _find_same(outcomes: list[SweepOutcome], first: int) -> list[int]:
    """The outcomes that are exactly the one named."""
    own = outcomes[first]
    same = (np.array_equal(own.rows, one.rows) and np.array_equal(own.paid, one.paid) for one in outcomes)
    return [place for place, equal in enumerate(same) if equal]


def _measure_scales(rows: Array, kinds: tuple[str, ...]) -> Array:
    """The spread of each column under random play; infinite where it has none, so that it counts for nothing."""
    with np.errstate(invalid="ignore", over="ignore"):
        spread = rows.std(axis=0)
    choice = np.array([kind in ("category", "binary") for kind in kinds], dtype=bool)
    spread = np.where(choice, 1.0, spread)
    return np.where(np.isfinite(spread) & (spread > 1e-9), spread, np.inf)


def _sweep_one_state(
    session: SurveySession, environment: Environment, seed: int, place: int, values: Iterable[float], longest: int
) -> list[SweepOutcome] | None:
    """The outcomes of every value from one state, which a few random actions lead to."""
    rng = np.random.default_rng([session.plan.seed, seed])
    before = int(rng.integers(0, longest)) if seed and longest else 0
    prefix = sample_space(environment.action, before, rng) if before else np.empty((0, 0))
    base = find_reference_action(environment.action, rng)
    outcomes: list[SweepOutcome] = []
    for value in values:
        held = base.copy()
        held[place] = value
        course = unflatten_rows(environment.action, prefix) if len(prefix) else []
        course = course + [unflatten(environment.action, held)] * FAR
        path = play_trajectory(session, environment, 1000 + seed, course)
        if path is None or path.steps <= len(prefix) or (path.steps < len(course) and not path.ended):
            return None
        outcomes.append(_make_outcome(path, len(prefix)))
    return outcomes


def find_reference_action(space: Space, rng: np.random.Generator) -> Array:
    """The action whose other dimensions are held: rest where there is one, the middle of the range, or any choice."""
    still = find_rest_action(space)
    if still is not None:
        return still
    held: Array = sample_space(space, 1, rng)[0]
    numbers = [place for place, column in enumerate(space.columns) if column.kind == "number"]
    if numbers:
        held[numbers] = list_action_positions(space, 3)[1, numbers]
    return held


def pick_values(space: Space, place: int, column: Column) -> Array:
    """The values to try in one dimension."""
    if column.kind == "number":
        low, high = list_action_positions(space, 2)[:, place]
        return np.asarray((low + high) / 2 + (high - low) / 2 * np.asarray(VALUES))
    every = np.arange(column.low, column.high + 1)
    if len(every) > MOST_CHOICES:
        every = every[np.linspace(0, len(every) - 1, MOST_CHOICES).astype(int)]
    return np.asarray(every)


def list_action_positions(space: Space, count: int) -> Array:
    """Values along every dimension at once, a row each; choices along with the numbers, whose rows alone make sense."""
    if space.kind == "box":
        return list_positions(space, count)
    low = np.array([column.low if np.isfinite(column.low) else -1.0 for column in space.columns])
    high = np.array([column.high if np.isfinite(column.high) else 1.0 for column in space.columns])
    return np.asarray(np.linspace(low, high, count))


def _make_outcome(path: Trajectory, prefix: int) -> SweepOutcome:
    return SweepOutcome(path.rows[prefix:], np.cumsum(path.rewards[prefix:]))


def _summarise_sweep(
    space: Space, place: int, column: Column, states: list[list[SweepOutcome]], scale: Array
) -> ActionSweep | None:
    if not states:
        return None
    values = pick_values(space, place, column)
    is_number = column.kind == "number"
    centre = len(values) // 2 if is_number else 0
    near, far, near_paid, far_paid, still, motion = [], [], [], [], [], []
    for outcomes in states:
        middle = outcomes[centre]
        near.append([_measure_distance(one, middle, NEAR, scale) for one in outcomes])
        far.append([_measure_distance(one, middle, FAR, scale) for one in outcomes])
        near_paid.append([_measure_reward_distance(one, middle, NEAR) for one in outcomes])
        far_paid.append([_measure_reward_distance(one, middle, FAR) for one in outcomes])
        still.append([bool(np.array_equal(one.rows[0], one.rows[1])) for one in outcomes])
        motion.append(float(np.max(np.abs(middle.rows[-1] - middle.rows[0]) / scale, initial=0.0)))
    return ActionSweep(
        dimension=place,
        label=f"action{column.label}" if column.label[:1] in ("", "[") else column.label,
        values=values,
        positions=np.asarray(VALUES) if is_number else values,
        near=np.array(near),
        far=np.array(far),
        near_reward=np.array(near_paid),
        far_reward=np.array(far_paid),
        still=np.array(still),
        motion=np.array(motion),
        horizon=FAR,
        alike=_group_alike(states),
    )


def _group_alike(states: list[list[SweepOutcome]]) -> tuple[tuple[int, ...], ...]:
    """The values that were followed by the same in every state, in groups of two and more."""
    groups: dict[tuple[bytes, ...], list[int]] = {}
    for place in range(len(states[0])):
        followed = tuple(part.tobytes() for one in states for part in (one[place].rows, one[place].paid))
        groups.setdefault(followed, []).append(place)
    return tuple(tuple(group) for group in groups.values() if len(group) > 1)


def _measure_own(session: SurveySession, environment: Environment, sweep: ActionSweep) -> tuple[float, ...]:
    """For each group of choices, of the starts in which it changes anything, the share in which nothing else does so.

    Nothing where none of them has the first choice, of which alone it is asked whether it is doing nothing.
    Starts, since many steps of one kind may lead to a wall, where that kind does nothing any more.
    """
    if not any(0 in group for group in sweep.alike) or environment.action.columns[sweep.dimension].kind == "number":
        return ()
    own: list[list[bool]] = [[] for _ in sweep.alike]
    for seed in range(OWN_STARTS):
        outcomes = _sweep_one_state(session, environment, OWN_SEED + seed, sweep.dimension, sweep.values, 0)
        if outcomes is None or session.over:
            continue
        moved = np.array([one.rows[1] != one.rows[0] for one in outcomes])
        for shares, group in zip(own, sweep.alike, strict=True):
            together, others = moved[list(group)].all(axis=0), np.delete(moved, list(group), axis=0).any(axis=0)
            if together.any():
                shares.append(bool((together & ~others).any()))
    return tuple(float(np.mean(shares)) if len(shares) >= FEWEST_MOVED else 0.0 for shares in own)


def _measure_distance(one: SweepOutcome, other: SweepOutcome, horizon: int, scale: Array) -> float:
    """The largest distance in any column after so many steps, or at the end of the shorter episode.

    Where there is none, it is the largest on the way: a switch that is pressed twice is where it was.
    """
    step = min(horizon, len(one.rows) - 1, len(other.rows) - 1)
    gaps = np.abs(one.rows[: step + 1] - other.rows[: step + 1]) / scale
    gaps = np.where(np.isfinite(gaps), gaps, 0.0)
    shorter = 1.0 if len(one.rows) != len(other.rows) and step < horizon else 0.0
    return float(max(np.max(gaps[step], initial=0.0), shorter)) or float(np.max(gaps, initial=0.0))


def _measure_reward_distance(one: SweepOutcome, other: SweepOutcome, horizon: int) -> float:
    step = min(horizon, len(one.paid), len(other.paid)) - 1
    return float(abs(one.paid[step] - other.paid[step]))


def list_constant_actions(space: Space) -> Iterator[Array]:
    """Constant actions worth a try: each choice of a small discrete space, and the corners and rest of a box."""
    if space.kind == "discrete":
        yield from (np.array([value]) for value in pick_values(space, 0, space.columns[0]))
        return
    grid = list_action_positions(space, 3)
    yield from (grid[0], grid[2], grid[1])
