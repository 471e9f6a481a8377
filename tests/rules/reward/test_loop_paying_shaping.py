from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from tests.worlds import changed, play, world
from weaklink.base.evidence.survey import TERMINATED, TRUNCATED, Play, Survey
from weaklink.base.finding import CannotTell, Finding, Level
from weaklink.judge.rules.reward.loop_paying_shaping import loop_paying_shaping

GAMMA, SIDE, LENGTH, EPISODES = 0.99, 6, 50, 40
MOVES = np.array([(0, 1), (1, 0), (0, -1), (-1, 0)])
KEY = "reward_shaping"


@cache
def walk(policy: str) -> tuple[np.ndarray, np.ndarray]:
    """Rooms of squares, walked at random: where each step begins and ends."""
    rng = np.random.default_rng([1, *policy.encode()])
    here = np.empty((EPISODES, LENGTH, 2))
    there = np.empty_like(here)
    for episode in range(EPISODES):
        place = rng.integers(0, SIDE, 2)
        for step in range(LENGTH):
            here[episode, step] = place
            place = np.clip(place + MOVES[rng.integers(4)], 0, SIDE - 1)
            there[episode, step] = place
    here.flags.writeable = there.flags.writeable = False
    return here.reshape(-1, 2), there.reshape(-1, 2)


def nearness(places: np.ndarray) -> np.ndarray:
    return -np.abs(places - (SIDE - 1)).sum(axis=1)


def difference(here: np.ndarray, there: np.ndarray, ends: np.ndarray, offset: float = 0.0, gamma: float = GAMMA):
    return gamma * np.where(ends, 0.0, nearness(there) + offset) - nearness(here) - offset


def one_way(here, there, ends):
    return np.maximum(0.0, nearness(there) - nearness(here))


def waypoint(here, there, ends):
    return 3.0 * ((there == 3).all(axis=1) & ~(here == 3).all(axis=1))


def standing_at_ends(here, there, ends):
    return GAMMA * (nearness(there) + 7.0) - nearness(here) - 7.0


def alive(here, there, ends):
    return np.ones(len(here))


def control_cost(here, there, ends):
    return -np.abs(there - here).sum(axis=1)


def first_visit(here, there, ends):
    """Pays a waypoint once an episode."""
    terms = waypoint(here, there, ends).reshape(EPISODES, LENGTH)
    first = np.cumsum(terms > 0, axis=1) <= 1
    return (terms * first).ravel()


def shaped(policy: str, term, *, key: str = KEY, task: float = 0.1, ends: int = TRUNCATED, **given) -> Play:
    here, there = walk(policy)
    terminal = np.zeros(len(here), dtype=bool)
    if ends == TERMINATED:
        terminal[LENGTH - 1 :: LENGTH] = True
    terms = np.asarray(term(here, there, terminal), dtype=float)
    base = np.random.default_rng(2).normal(0.0, task, len(here))
    fields = {"rewards": base + terms, "components": {"reward_task": base, key: terms}}
    fields |= {"observations": here, "successors": there}
    return play(policy, episodes=EPISODES, length=LENGTH, ends=ends, **(fields | given))


def room(term, **given) -> Survey:
    survey = {name: given.pop(name) for name in ("shaping", "config", "seen_columns") if name in given}
    return world(plays={name: shaped(name, term, **given) for name in ("random", "search")}, **survey)


def sick():
    return [
        room(one_way),
        room(waypoint),
        room(waypoint, key="bonus", shaping="bonus"),
        room(lambda *steps: difference(*steps) + waypoint(*steps)),
        # worth knowing only: beside a large reward for the task, and a potential that is not zero at the end
        room(waypoint, task=100.0),
        room(standing_at_ends, ends=TERMINATED),
    ]


def healthy():
    return [
        world(),
        room(difference),
        room(difference, ends=TERMINATED),
        room(lambda *steps: difference(*steps, offset=7.0), ends=TERMINATED),
        room(lambda *steps: difference(*steps, gamma=1.0)),
        room(lambda *steps: difference(*steps, gamma=0.9), config={"gamma": 0.9}),
        room(control_cost),
        room(first_visit),
        # under a name that does not speak of shaping, never paid, and paid for every step alike
        room(waypoint, key="reward_bonus"),
        room(lambda *steps: 0.0 * alive(*steps)),
        room(alive),
    ]


def judged(survey: Survey) -> Finding:
    answer = loop_paying_shaping.rule.ask(survey)
    assert isinstance(answer, Finding)
    return answer


@pytest.mark.parametrize("survey", sick()[:4])
def test_a_loop_that_pays_is_a_warning(survey):
    assert judged(survey).severity == Level.WARN


def test_it_says_what_the_loop_pays():
    finding = judged(room(waypoint))
    assert "'reward_shaping' pays 3 for 2 steps" in finding.message
    assert finding.evidence[0].value == pytest.approx(3.0)
    assert finding.evidence[0].step is not None


def test_little_beside_the_task_is_worth_knowing_only():
    assert judged(room(waypoint, task=100.0)).severity == Level.INFO
    assert judged(room(waypoint, task=1.0)).severity == Level.WARN
    assert loop_paying_shaping(room(waypoint, task=1.0), small=10.0).level == Level.INFO


def test_a_potential_left_standing_at_the_end_is_worth_knowing_only():
    finding = judged(room(standing_at_ends, ends=TERMINATED))
    assert finding.severity == Level.INFO
    assert "terminal states" in finding.message
    # nothing terminates, so nothing is left standing
    assert loop_paying_shaping(room(standing_at_ends)) is None


def test_the_shaped_reward_is_not_the_term():
    def whole(policy: str) -> Play:
        one = shaped(policy, waypoint, key="reward_shaped")
        return changed(one, components={"reward_shaped": one.rewards})

    survey = world(plays={name: whole(name) for name in ("random", "search")})
    assert isinstance(loop_paying_shaping(survey), CannotTell)


@pytest.mark.parametrize(
    ("survey", "missing"),
    [
        (world(), "shaping"),
        (room(waypoint, seen_columns=(0, 1)), "observations"),
        (room(waypoint, observations=None, successors=None), "observations"),
        (room(waypoint, components={KEY: np.full(EPISODES * LENGTH, np.nan)}), "observations"),
        (room(lambda *steps: np.random.default_rng(0).normal(size=len(steps[0]))), KEY),
    ],
    ids=["no term", "some columns", "no observations", "not a number", "noise"],
)
def test_what_cannot_be_judged_is_said(survey, missing):
    answer = loop_paying_shaping(survey)
    assert isinstance(answer, CannotTell)
    assert answer.missing == (missing,)


def test_one_play_with_the_term_is_enough():
    survey = world(plays={"random": shaped("random", waypoint), "search": play("search")})
    assert isinstance(loop_paying_shaping(survey), Finding)
