from __future__ import annotations

import gymnasium as gym
import numpy as np

from tests.surveying import UNHURRIED
from tests.worlds import changed, discrete, play, with_play, world
from weaklink.base.evidence.survey import CheckerComplaint, Resets
from weaklink.base.finding import CannotTell, Finding, Level
from weaklink.base.loop import Link
from weaklink.collect.survey.plan import SurveyPlan
from weaklink.collect.survey.surveyed import surveyed
from weaklink.judge.rules.environment.frozen_reset import frozen_reset

ALIKE = np.tile([0.1, 0.2, np.nan], (8, 1))
VARIED = np.random.default_rng(0).normal(size=(8, 3))


def resets(**fields):
    return Resets(**({"seeded": ALIKE, "unseeded": ALIKE} | fields))


def replayed(course):
    """Resets draw, and one column is the same course in every episode."""
    made = play("random")
    rows = made.observations.copy()
    rows[:, 0] = np.tile(course, 100)
    return with_play(world(resets=resets(draws=True), same_whatever_seed=50), random=changed(made, observations=rows))


def sick():
    generators = CheckerComplaint(
        source="Gymnasium's checker",
        level="error",
        text="... as the random number generators are not different when different seeds are passed to `env.reset`.",
    )
    return [
        world(resets=resets(inner=VARIED)),
        world(resets=resets(unseeded=VARIED)),
        world(resets=resets(reseeded=("numpy.random",))),
        world(resets=resets(reseeded=("self._np_random",), draws=True)),
        world(resets=resets(), complaints=(generators,)),
        # a place in a history is drawn, and it is always the first one
        replayed(np.random.default_rng(1).normal(size=50)),
        # the seed of a training that gives none is always the same one
        world(resets=resets(seeded=VARIED)),
    ]


def healthy():
    lake = discrete(16)
    fields = np.zeros((5000, 1))
    return [
        world(),
        # one start by design, as in CliffWalking and an empty grid
        world(resets=resets()),
        world(resets=resets(inner=ALIKE, draws=False)),
        # FrozenLake draws its start, from a distribution over one field
        with_play(
            world(observation=lake, resets=resets(draws=True)),
            random=play(observations=np.arange(5000.0)[:, None] % 16, successors=fields),
        ),
        with_play(
            world(observation=lake, resets=resets(draws=True), same_whatever_seed=90),
            random=play(observations=np.arange(5000.0)[:, None] % 16, successors=fields),
        ),
        # a bandit draws its arms, and shows nothing of it
        with_play(world(plays={}, resets=resets(draws=True)), random=play(observations=np.zeros((5000, 3)))),
        # two sides of a start, of which resets without a seed happened to draw one
        world(resets=resets(seeded=np.tile([[0.0], [1.0]], (4, 1)), unseeded=np.zeros((8, 1)))),
        world(resets=resets(seeded=VARIED, unseeded=VARIED, reseeded=("random",))),
    ]


def test_a_draw_alone_is_only_worth_knowing():
    answer = frozen_reset.rule.ask(world(resets=resets(draws=True)))
    assert answer.level is Level.INFO


def test_names_the_generator():
    assert "`numpy.random`" in frozen_reset.rule.ask(sick()[2]).message


def test_cannot_tell_from_few_resets_or_without_columns():
    few = resets(seeded=ALIKE[:3], unseeded=VARIED)
    assert isinstance(frozen_reset.rule.ask(world(resets=few)), CannotTell)
    none = resets(seeded=np.empty((8, 0)), unseeded=np.empty((8, 0)))
    assert isinstance(frozen_reset.rule.ask(world(resets=none)), CannotTell)
    assert isinstance(frozen_reset.rule.ask(world(resets=None)), CannotTell)


def test_half_of_the_columns_frozen_is_not_this_illness():
    partly = np.column_stack([np.ones(8), np.arange(8.0), np.zeros(8)])
    assert not isinstance(
        frozen_reset.rule.ask(world(resets=resets(seeded=partly, unseeded=partly, inner=VARIED))), Finding
    )


class Packed(gym.ObservationWrapper):
    """Cut to whole numbers, of which nothing but zeros is left at the start."""

    def __init__(self, env, factor):
        super().__init__(env)
        self.factor = factor
        self.observation_space = gym.spaces.Box(-1000, 1000, (4,), np.int64)

    def observation(self, observation):
        return (self.factor * observation).astype(np.int64)


def test_a_wrapper_that_shows_one_start_of_many_is_at_fault_with_its_observations():
    def ask(factor):
        plan = SurveyPlan(seconds=UNHURRIED, steps=400, episodes=8)
        return frozen_reset.rule.ask(surveyed(lambda: Packed(gym.make("CartPole-v1"), factor), plan))

    answer = ask(1)
    assert (answer.severity, answer.link) == (Level.WARN, Link.OBSERVATION)
    assert "the wrapper `Packed` is given" in answer.message
    assert ask(1000) is None


def test_a_clock_or_a_day_beside_a_start_that_is_drawn_from_one_place_is_worth_knowing_only():
    """CliffWalking draws its start from one cell; with the time beside it a number changes."""
    for course in (np.arange(50.0), np.sin(np.arange(50) / 4)):
        assert frozen_reset.rule.ask(replayed(course)).level is Level.INFO
