from __future__ import annotations

import numpy as np
import pytest

from tests.rules.task.tasks import (
    acrobot,
    cart_pole,
    ending,
    frozen_lake,
    lasting,
    mountain_car,
    paid,
    pendulum,
    survey_of,
)
from tests.worlds import play, world
from weaklink.base.evidence.survey import LIMITED, TERMINATED, TRUNCATED
from weaklink.base.finding import CannotTell, Finding
from weaklink.judge.rules.task.never_positive import never_positive


def grid(**best: float):
    """Lava ends an episode, the clock ends others, and the goal pays."""
    rng = np.random.default_rng(0)
    plays = []
    for name in ("random", "search", *best):
        ends = rng.choice([TERMINATED, TRUNCATED], 60)
        outcomes = np.zeros(60)
        outcomes[0] = best.get(name, 0.0)
        plays.append(ending(name, outcomes, np.where(ends == TRUNCATED, 100, rng.integers(3, 90, 60)), ends))
    return survey_of(*plays)


def obstacles(top: float = 0.0):
    """Bumping costs 1, the clock nothing, the goal pays."""
    rng = np.random.default_rng(1)
    bumped = rng.random(60) < 0.7
    outcomes = np.where(bumped, -1.0, 0.0)
    lengths, ends = np.where(bumped, rng.integers(3, 90, 60), 100), np.where(bumped, TERMINATED, TRUNCATED)
    found = np.where(np.arange(60) == 7, top, outcomes)
    return survey_of(ending("random", outcomes, lengths, ends), ending("search", found, lengths, ends))


def costly(top: float):
    """Every action costs, standing still costs nothing, and the goal pays (mountain car with thrust)."""
    rng = np.random.default_rng(2)
    costs = [-0.1 * rng.random(999) for _ in range(30)]
    return survey_of(
        paid("random", costs, TRUNCATED),
        lasting("zero", np.full(30, 999), 0.0, TRUNCATED),
        paid("search", [np.append(-0.001 * rng.random(400), top) for _ in range(20)]),
    )


def sick():
    return [mountain_car(), grid(), obstacles(), costly(0.0), survey_of(*world_without_end())]


def world_without_end():
    return [lasting(name, np.full(30, 1000), 0.0, LIMITED) for name in ("random", "search")]


def healthy():
    return [
        mountain_car("tabular"),
        mountain_car("automaton"),
        grid(automaton=0.9),
        grid(tabular=0.9),
        obstacles(0.9),
        costly(100.0),
        acrobot(),
        cart_pole(),
        pendulum(),
        frozen_lake(chance=0.0, search=0.0),
        world(),
        reach(),
    ]


def reach():
    """Minus the distance to a target: standing still pays the same at every step, but not in every episode."""
    rng = np.random.default_rng(3)
    return survey_of(
        paid("random", [-rng.random(50) - 1.0 for _ in range(40)], TRUNCATED),
        paid("zero", [np.full(50, -distance) for distance in rng.uniform(0.1, 2, 40)], TRUNCATED),
        paid("search", [np.linspace(-distance, -0.4, 50) for distance in rng.uniform(0.5, 2, 40)], TRUNCATED),
    )


def test_the_message_says_which_floor():
    assert "does better than -200, the return of every episode" in never_positive(mountain_car()).message
    assert "the return of waiting for the time limit" in never_positive(obstacles()).message


def test_surviving_until_the_time_limit_may_be_the_goal():
    survival = survey_of(
        ending("random", np.zeros(40), np.arange(5, 45)),
        ending("search", np.ones(40), np.full(40, 100), TRUNCATED),
    )
    assert never_positive(survival) is None


def test_an_expert_must_have_played():
    alone = survey_of(lasting("random", np.full(50, 200), -1.0, TRUNCATED))
    assert isinstance(never_positive.rule.ask(alone), CannotTell)


@pytest.mark.parametrize("episodes", [1, 19])
def test_few_episodes_do_not_tell(episodes):
    few = survey_of(*(play(name, episodes=episodes) for name in ("random", "search")))
    assert isinstance(never_positive(few), CannotTell)


def test_one_better_episode_is_enough():
    assert isinstance(never_positive(grid()), Finding)
    assert never_positive(grid(automaton=1e-3)) is None


def test_a_limit_of_the_survey_is_no_floor():
    # falling costs, and the goal is found after a long and costly walk: no time limit of the task's own
    walk = [np.append(np.full(1500, -1.0), 0.0) for _ in range(30)]
    endless = survey_of(paid("random", walk), lasting("search", np.full(20, 1000), -1.0, LIMITED))
    assert never_positive(endless) is None
