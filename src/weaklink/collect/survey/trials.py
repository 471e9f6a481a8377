"""Single actions tried one by one from the same states: what does each change in one step, and when is it heeded?"""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np

from weaklink.base.evidence.acting import ActionTrials, Flags
from weaklink.base.evidence.protocols import Environment
from weaklink.base.evidence.series import Array
from weaklink.base.evidence.spaces import Space, sample_space, unflatten_rows
from weaklink.base.evidence.survey import Play
from weaklink.base.stats import level
from weaklink.collect.survey.chances import count_outcomes
from weaklink.collect.survey.comparisons import play_trajectory
from weaklink.collect.survey.session import SurveySession
from weaklink.collect.survey.sweeps import find_reference_action, list_action_positions

STATES = 27
"""A third after random actions, a third after the lowest ones, a third after the highest, where limits are met."""

LONGEST_PREFIX = 40
MOST_DIMENSIONS = 8
MOST_SWAPPED = 4
WIDEST = 64
FIRST_SEED = 5000

TIMES = 80
"""Steps from the reset at each of which it is looked whether an action makes a difference."""

WITHIN = 3
SELDOM = 0.7
"""Of the states, those in which no action shows at once, where it is looked when actions are heeded."""


def try_actions(session: SurveySession, environment: Environment, random: Play) -> dict[str, Any]:
    """Tries actions from as many states as the time allows; nothing where a state cannot be reached twice."""
    space = environment.action
    if not session.deterministic or not space.size or space.size > MOST_DIMENSIONS:
        return {}
    if not 0 < environment.observation.size <= WIDEST:
        return {}
    actions, swaps = _list_trials(space, np.random.default_rng([session.plan.seed, FIRST_SEED]))
    longest = int(min(LONGEST_PREFIX, max(level(random.lengths.astype(float)) // 2, 1)))
    states = []
    for number in range(STATES):
        if session.over:
            break
        tried = _try_state(session, environment, number, longest, actions)
        if tried is not None:
            states.append(tried)
    if not states:
        return {}
    seen, times, rows, rewards = (np.array(part) for part in zip(*states, strict=True))
    idle = np.all((rows == rows[:, :1]).all(axis=2) & (rewards == rewards[:, :1]), axis=1)
    seldom = bool(idle.mean() >= SELDOM)
    when = _find_heeded(session, environment) if seldom and not idle.all() else np.zeros(0, dtype=bool)
    outcomes, compared = count_outcomes(session, environment) if seldom else (np.empty((0, 0), dtype=np.int64), 0)
    found = ActionTrials(
        seen=seen,
        times=times.astype(np.int64),
        actions=actions,
        rows=rows,
        rewards=rewards,
        swaps=swaps,
        heeded=when,
        outcomes=outcomes,
        compared=compared,
    )
    return {"trials": found}


def _list_trials(space: Space, rng: np.random.Generator) -> tuple[Array, tuple[tuple[int, int, int, int], ...]]:
    """The actions to try, a row each, and which of them are pairs of dimensions with their values exchanged."""
    base = find_reference_action(space, rng)
    low, high = list_action_positions(space, 2)
    rows = [base]
    for place in range(space.size):
        for value in (low[place], high[place]):
            rows.append(base.copy())
            rows[-1][place] = value
    swaps = []
    for one, other in combinations(range(min(space.size, MOST_SWAPPED)), 2):
        if (low[one], high[one]) != (low[other], high[other]):
            continue
        for first, second in ((high[one], low[one]), (low[one], high[one])):
            rows.append(base.copy())
            rows[-1][[one, other]] = first, second
        swaps.append((one, other, len(rows) - 2, len(rows) - 1))
    return np.array(rows), tuple(swaps)


def _try_state(
    session: SurveySession, environment: Environment, number: int, longest: int, actions: Array
) -> tuple[Array, int, Array, Array] | None:
    """What each action leads to from one state, None where the episode is over before; NaN where the step ends it."""
    rng = np.random.default_rng([session.plan.seed, FIRST_SEED, number])
    space = environment.action
    before = int(rng.integers(0, longest + 1))
    prefix = sample_space(space, before, rng)
    if number % 3:
        prefix[:] = list_action_positions(space, 2)[number % 3 - 1]
    rows, rewards = [], []
    seen: Array | None = None
    for action in actions:
        course = unflatten_rows(space, np.vstack([prefix, action[None]]))
        path = play_trajectory(session, environment, FIRST_SEED + number, course)
        if path is None or path.steps <= before:
            return None
        seen = path.rows[before]
        rows.append(np.full_like(seen, np.nan) if path.ended else path.rows[before + 1])
        rewards.append(np.nan if path.ended else path.rewards[before])
    return None if seen is None else (seen, before, np.array(rows), np.array(rewards))


def _find_heeded(session: SurveySession, environment: Environment) -> Flags:
    """For each time from the reset on, whether another action then is followed by anything else within a few steps."""
    space = environment.action
    rng = np.random.default_rng([session.plan.seed, FIRST_SEED, STATES])
    course = sample_space(space, TIMES + WITHIN, rng)
    plain = play_trajectory(session, environment, FIRST_SEED, unflatten_rows(space, course))
    heeded: list[bool] = []
    for time in range(0 if plain is None else min(TIMES, plain.steps - WITHIN)):
        noticed = False
        for action in list_action_positions(space, 2):
            other = course[: time + WITHIN].copy()
            other[time] = action
            path = play_trajectory(session, environment, FIRST_SEED, unflatten_rows(space, other))
            if plain is None or path is None or session.over:
                return np.array(heeded, dtype=bool)
            until = slice(time + 1, time + WITHIN + 1)
            noticed |= not np.array_equal(path.rows[until], plain.rows[until])
        heeded.append(noticed)
    return np.array(heeded, dtype=bool)
