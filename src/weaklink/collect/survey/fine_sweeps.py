"""One dimension of the action through its range in many small steps: how does the next observation follow it?"""

from __future__ import annotations

import msgspec
import numpy as np

from weaklink.base.evidence.acting import ActionSweep
from weaklink.base.evidence.protocols import Environment
from weaklink.base.evidence.series import Array
from weaklink.base.evidence.spaces import sample_space, unflatten_rows
from weaklink.collect.survey.comparisons import play_trajectory
from weaklink.collect.survey.resets import list_generators
from weaklink.collect.survey.session import SurveySession

VALUES = 49
STATES = 3
LONGEST_PREFIX = 8
MOST_DIMENSIONS = 4
WIDEST = 64
FIRST_SEED = 6000


def sweep_finely(session: SurveySession, environment: Environment, sweep: ActionSweep, longest: int) -> ActionSweep:
    """The sweep with what follows at once from many values; as it is where it is one of choices, or time is up.

    All other dimensions are as they were drawn: where one of them is a throttle, nothing that steers shows at rest. A
    world whose steps draw random numbers is left out: how often a coin falls may follow the action as it likes.
    """
    space = environment.action
    is_number = space.columns[sweep.dimension].kind == "number"
    if not is_number or space.size > MOST_DIMENSIONS or not 0 < environment.observation.size <= WIDEST:
        return sweep
    if _draws_in_steps(session, environment):
        return sweep
    values = np.linspace(sweep.values[0], sweep.values[-1], VALUES)
    states = []
    for number in range(STATES):
        rng = np.random.default_rng([session.plan.seed, FIRST_SEED, number])
        before = int(rng.integers(0, min(longest, LONGEST_PREFIX) + 1)) if number else 0
        course = sample_space(space, before + 1, rng)
        rows: list[Array] = []
        for value in values:
            course[before, sweep.dimension] = value
            path = play_trajectory(session, environment, FIRST_SEED + number, unflatten_rows(space, course))
            if path is None or path.steps <= before or session.over:
                return sweep
            rows.append(path.rows[before + 1])
        states.append(rows)
    return msgspec.structs.replace(sweep, fine=np.array(states))


def _draws_in_steps(session: SurveySession, environment: Environment) -> bool:
    """Whether steps draw random numbers, or raise."""
    rng = np.random.default_rng([session.plan.seed, FIRST_SEED])
    try:
        environment.reset(FIRST_SEED)
        fresh = dict(list_generators(environment))
        for action in unflatten_rows(environment.action, sample_space(environment.action, LONGEST_PREFIX, rng)):
            _, _, terminated, truncated, _ = environment.step(action)
            session.steps += 1
            if terminated or truncated:
                break
    except Exception as error:
        session.blame(error, "step")
        return True
    return fresh != dict(list_generators(environment))
