"""Whether chance decides that an action is heeded: the same start, the same actions, and other random numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from weaklink.base.evidence.protocols import Environment
from weaklink.base.evidence.series import Array
from weaklink.base.evidence.spaces import Space, unflatten_rows
from weaklink.base.evidence.survey import Ints
from weaklink.collect.survey.comparisons import record_steps
from weaklink.collect.survey.session import OutOfMemory, SurveySession, SurveyStopped
from weaklink.collect.survey.sweeps import list_action_positions, pick_values

STARTS = 6
DRAWS = 12
ACTIONS = 4
FIRST_SEED = 6000


def count_outcomes(session: SurveySession, environment: Environment) -> tuple[Ints, int]:
    """How many different things follow from the actions tried, a row for each start and a column for each draw.

    And how many actions were tried. Nothing where there is no generator to set, or where they are fewer than three: of
    two it cannot be said whether both are replaced or one of them acts.
    """
    tried = _list_actions(environment.action)
    generator = getattr(environment.inner, "_np_random", None)
    if not session.fresh or not isinstance(generator, np.random.Generator) or len(tried) < 3:
        return np.empty((0, 0), dtype=np.int64), len(tried)
    counted: list[list[int]] = []
    try:
        for start in range(STARTS):
            followed = [_follow(session, environment, start, draw, tried) for draw in range(DRAWS)]
            if session.over:
                break
            counted.append([len(set(outcomes)) for outcomes in followed])
    except (SurveyStopped, OutOfMemory):
        raise
    except Exception:  # what it raises is found by those who play it as it is
        counted = []
    return np.array(counted, dtype=np.int64).reshape(len(counted), DRAWS), len(tried)


def _list_actions(space: Space) -> Array:
    """Actions as far apart as there are."""
    if space.kind == "discrete":
        every = pick_values(space, 0, space.columns[0])
        return np.asarray(every[np.unique(np.linspace(0, len(every) - 1, ACTIONS).astype(int))], dtype=float)[:, None]
    return list_action_positions(space, 3)


def _follow(
    session: SurveySession, environment: Environment, start: int, draw: int, actions: Array
) -> list[tuple[bytes, bytes, bytes]]:
    """What follows from each action in one step, where the random numbers of that step are drawn anew."""
    state = np.random.default_rng([FIRST_SEED, start, draw]).bit_generator.state

    def renew() -> None:
        environment.inner._np_random.bit_generator.state = state

    outcomes = []
    for action in unflatten_rows(environment.action, actions):
        rows: list[Any] = []
        path = record_steps(session, environment, FIRST_SEED + start, [action], rows, between=renew)
        outcomes.append((path.rows[-1].tobytes(), path.rewards.tobytes(), path.terminated.tobytes()))
    return outcomes
