from __future__ import annotations

import gymnasium as gym
import numpy as np
import pytest

from tests.surveying import survey_before
from tests.worlds import box, changed, held, play, world
from weaklink.base.evidence.spaces import Space
from weaklink.base.finding import CannotTell, Finding, Level
from weaklink.judge.rules.observation.row_standardised import row_standardised


def seen(rows, **fields):
    shown = play("random", length=40, observations=rows, successors=rows, columns=rows.shape[1])
    return changed(world(), **({"observation": box(rows.shape[1]), "plays": {"random": shown}} | fields))


def raw(width=5):
    return np.cumsum(np.random.default_rng(0).normal(size=(4000, width)), axis=0)


def by_row(rows, ddof=0):
    away = rows - rows.mean(axis=1, keepdims=True)
    return away / away.std(axis=1, keepdims=True, ddof=ddof)


def sick():
    return [seen(by_row(raw())), seen(by_row(raw(), ddof=1)), seen(by_row(raw(4)).astype(np.float32).astype(float))]


def healthy():
    rng = np.random.default_rng(1)
    angles = rng.uniform(0, 2 * np.pi, (4000, 1))
    picture = Space(kind="box", shape=(2, 3), dtype="float32", low=np.full(6, -np.inf), high=np.full(6, np.inf))
    return [
        world(),
        # each column by its own mean and deviation, over all steps
        seen((raw() - raw().mean(axis=0)) / raw().std(axis=0)),
        # probabilities, unit vectors, one-hot codes, and the order of cards
        seen(rng.dirichlet(np.ones(5), 4000)),
        seen(raw() / np.linalg.norm(raw(), axis=1, keepdims=True)),
        seen(np.eye(5)[rng.integers(0, 5, 4000)]),
        seen(by_row(np.argsort(rng.random((4000, 30)), axis=1).astype(float))),
        # three phases of a current
        seen(np.sqrt(2) * np.cos(angles + np.array([0.0, 2.0, 4.0]) * np.pi / 3)),
        # pictures are often standardised one by one
        seen(by_row(raw(6)), observation=picture),
    ]


class ByRow(gym.ObservationWrapper):
    def observation(self, observation):
        return ((observation - observation.mean()) / (observation.std() + 1e-8)).astype(np.float32)


def ask(env):
    return row_standardised.rule.ask(survey_before("the same seed twice", lambda: env, steps=1000, episodes=5))


def test_a_wrapper_that_standardises_each_row_is_found():
    env = ByRow(gym.make("CartPole-v1"))
    env.observation_space = gym.spaces.Box(-np.inf, np.inf, (4,), np.float32)
    answer = ask(env)
    assert isinstance(answer, Finding)
    assert answer.severity is Level.WARN
    assert "mean 0 and standard deviation 1 over its 4 columns" in answer.message


@pytest.mark.parametrize("name", ["CartPole-v1", "Acrobot-v1"])
def test_running_statistics_over_steps_are_right(name):
    assert ask(gym.wrappers.NormalizeObservation(gym.make(name))) is None


def test_few_observations_do_not_tell():
    assert isinstance(row_standardised.rule.ask(seen(by_row(raw())[:100])), CannotTell)


def tanks(show):
    """Two levels that drain, and how they are shown."""

    def level(rng, step, before):
        return rng.uniform(2, 8, 2) if before is None else np.clip(before + rng.normal(0, 0.5, 2), 0.0, 10.0)

    kept = held({"level": level}, lambda now, before, ended: show(now["level"]), episodes=40, length=20)
    return seen(np.tile(kept.successors, (5, 1)), held=kept)


def test_two_numbers_that_lose_their_level_are_found_by_what_is_held():
    answer = row_standardised.rule.ask(tanks(lambda level: (level - level.mean()) / (level.std() + 1e-8)))
    assert "`level` less its own mean" in answer.message
    assert row_standardised.rule.ask(tanks(lambda level: (level - 5.0) / 2.0)) is None
    # which of the two is larger, beside nothing else, is no standardised level where the levels are equal in size
    assert row_standardised.rule.ask(tanks(lambda level: level / level.sum())) is None
