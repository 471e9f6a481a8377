from __future__ import annotations

import random

import gymnasium as gym
import numpy as np
import pytest

from tests.survey.small import Slider, prepared
from weaklink.base.evidence.survey import Resets
from weaklink.collect.survey.resets import SEEDS, UNSEEDED, examine_resets


def looked_at(make) -> Resets:
    session, environment = prepared(make)
    found = examine_resets(session, environment)["resets"]
    assert session.faults == []
    return found


class Seeded(Slider):
    """Takes its first observation from `start`, whatever that draws from."""

    def reset(self, *, seed=None, options=None):
        gym.Env.reset(self, seed=seed)
        self.clock = 0
        self.place = self.start()
        return self.place.copy(), {}

    def start(self):
        return self.np_random.normal(size=2)


def test_first_observations_are_those_of_the_environment():
    found = looked_at(lambda: gym.make("CartPole-v1"))
    env = gym.make("CartPole-v1")
    assert np.array_equal(found.seeded, [env.reset(seed=100 + number)[0] for number in range(SEEDS)])
    env.reset(seed=0)
    assert np.array_equal(found.unseeded, [env.reset()[0] for _ in range(UNSEEDED)])
    assert found.reseeded == ()
    assert found.global_draws == ()
    assert found.inner is None


class SeedsTheGlobal(Seeded):
    def start(self):
        np.random.seed(0)  # noqa: NPY002
        return np.random.normal(size=2)  # noqa: NPY002


class SeedsPythons(Seeded):
    def start(self):
        random.seed(0)
        return np.array([random.random(), 0.0])


class NewGeneratorEachTime(Seeded):
    def start(self):
        self.rng = np.random.default_rng(0)
        return self.rng.normal(size=2)


class OldGeneratorEachTime(Seeded):
    def start(self):
        self.rng = np.random.RandomState(7)
        return self.rng.normal(size=2)


class SetBackInPlace(Seeded):
    rng = None

    def start(self):
        self.rng = self.rng or np.random.RandomState()
        self.rng.seed(3)
        return np.zeros(2)

    def step(self, action):
        return super().step(action + self.rng.normal(size=2))


@pytest.mark.parametrize(
    ("make", "name"),
    [
        (SeedsTheGlobal, "numpy.random"),
        (SeedsPythons, "random"),
        (NewGeneratorEachTime, "self.rng"),
        (OldGeneratorEachTime, "self.rng"),
        (SetBackInPlace, "self.rng"),
    ],
)
def test_a_generator_that_a_reset_sets_to_one_state_is_named(make, name):
    assert looked_at(make).reseeded == (name,)


class MadeOnTheSpot(Seeded):
    """A generator that lives no longer than the reset, always from the same seed."""

    def reset(self, *, seed=None, options=None):
        found = super().reset(seed=seed, options=options)
        np.random.default_rng(3).normal()
        return found


class MadeFromTheSeed(Seeded):
    def reset(self, *, seed=None, options=None):
        found = super().reset(seed=seed, options=options)
        np.random.default_rng(seed).normal()
        return found


def test_a_generator_made_anew_from_one_seed_is_named():
    own = np.random.default_rng
    assert "numpy.random.default_rng(3)" in looked_at(MadeOnTheSpot).reseeded
    assert not any("default_rng" in name for name in looked_at(MadeFromTheSeed).reseeded)
    assert np.random.default_rng is own


class HasOneItNeverUses(Seeded):
    def __init__(self):
        super().__init__()
        self.spare, self.dice = np.random.default_rng(0), random.Random(3)


class NeverSeedsItsOwn(Seeded):
    """Made once from a fixed seed and drawn from ever after: a reset does not touch it."""

    def __init__(self):
        super().__init__()
        self.rng = np.random.default_rng(0)

    def step(self, action):
        return super().step(action + 0.1 * self.rng.normal(size=2))


class DrawsAtReset(NeverSeedsItsOwn):
    def start(self):
        return self.rng.normal(size=2)


class DrawsFewNumbers(Seeded):
    """A start that is the same for many seeds, from the generator that it was given."""

    def start(self):
        return np.array([float(self.np_random.integers(2)), 0.0])


class FixedStart(Seeded):
    def start(self):
        return np.zeros(2)


@pytest.mark.parametrize("make", [HasOneItNeverUses, NeverSeedsItsOwn, DrawsAtReset, DrawsFewNumbers, FixedStart])
def test_a_generator_that_a_reset_leaves_alone_is_not(make):
    found = looked_at(make)
    assert found.reseeded == ()
    assert found.global_draws == ()


class DrawsFromNumpy(Seeded):
    def step(self, action):
        return super().step(action + np.random.normal(size=2))  # noqa: NPY002


class DrawsFromPython(Seeded):
    def start(self):
        return np.array([random.random(), 0.0])


def test_draws_from_global_generators_are_told():
    assert looked_at(DrawsFromNumpy).global_draws == ("numpy.random",)
    assert looked_at(DrawsFromPython).global_draws == ("random",)
    assert looked_at(Seeded).global_draws == ()


@pytest.mark.parametrize("make", [SeedsTheGlobal, SeedsPythons, DrawsFromNumpy, DrawsFromPython])
def test_the_global_generators_are_put_back(make):
    random.seed(11)
    np.random.seed(11)  # noqa: NPY002
    before = random.getstate(), np.random.get_state()[1].tolist()  # noqa: NPY002
    looked_at(make)
    assert (random.getstate(), np.random.get_state()[1].tolist()) == before  # noqa: NPY002


class Frozen(gym.Wrapper):
    def reset(self, *, seed=None, options=None):
        return self.env.reset(seed=0)


def test_the_environment_inside_of_a_wrapper_is_looked_at_too():
    found = looked_at(lambda: Frozen(gym.make("CartPole-v1")))
    assert len(np.unique(found.seeded, axis=0)) == 1
    assert len(np.unique(found.inner, axis=0)) == 6


def test_a_reset_that_raises_is_a_fault():
    class Fails(Seeded):
        def start(self):
            raise KeyError("goal")

    session, environment = prepared(Fails)
    assert examine_resets(session, environment) == {}
    assert session.faults[0].call == "reset"


def test_whether_a_reset_draws_from_the_generator_it_was_given():
    assert looked_at(Seeded).draws is True
    assert looked_at(DrawsFewNumbers).draws is True
    assert looked_at(FixedStart).draws is False
