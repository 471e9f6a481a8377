from __future__ import annotations

import numpy as np

from tests.worlds import changed, world
from weaklink.base.evidence.survey import Resets, TrajectoryComparison
from weaklink.base.finding import CannotTell, Finding, Level
from weaklink.judge.rules.environment.nondeterministic import nondeterministic
from weaklink.judge.rules.environment.reset_leak import reset_leak


def compared(*ill, kinds=("fresh", "repeated", "after_play"), seeds=3, **difference):
    """Comparisons of these kinds, those of the kinds named in `ill` different."""
    parted = {"differs_at": 4, "what": "observation[1]", "gap": 0.5} | difference
    return tuple(
        TrajectoryComparison(kind=kind, seed=seed, steps=200, **(parted if kind in ill else {}))
        for kind in kinds
        for seed in range(seeds)
    )


def drawing(*names):
    rng = np.random.default_rng(0)
    return Resets(seeded=rng.normal(size=(8, 3)), unseeded=rng.normal(size=(8, 3)), global_draws=names)


def sick():
    return [
        world(comparisons=compared("fresh", "repeated", "after_play")),
        world(comparisons=compared("fresh", "repeated", "after_play", what="reward", gap=0.01)),
        world(comparisons=compared("repeated", kinds=("repeated",))),
        # the seed reaches a new instance by its constructor only: the rest comes from a global generator
        world(comparisons=compared("repeated", "after_play"), resets=drawing("numpy.random")),
    ]


def healthy():
    return [
        world(),
        # draws from a global generator in a place that changes nothing
        world(resets=drawing("random")),
        # something survives the reset: another illness
        world(comparisons=compared("repeated", "after_play")),
        world(comparisons=compared("after_play")),
    ]


def test_names_the_generator():
    survey = world(comparisons=compared("fresh"), resets=drawing("numpy.random", "random"))
    message = nondeterministic.rule.ask(survey).message
    assert "numpy's global generator and Python's global generator instead of `self.np_random`" in message
    assert "`observation[1]` differs first, at step 4 by 0.5" in message


def test_a_declared_one_is_only_worth_knowing():
    survey = world(comparisons=compared("fresh"), facts={"nondeterministic": True})
    assert nondeterministic.rule.ask(survey).level is Level.INFO


def test_one_illness_one_finding():
    for survey in sick():
        assert isinstance(nondeterministic.rule.ask(survey), Finding)
        assert isinstance(reset_leak.rule.ask(survey), CannotTell)


def test_cannot_tell_without_a_second_play():
    assert isinstance(nondeterministic.rule.ask(world(comparisons=())), CannotTell)
    assert isinstance(nondeterministic.rule.ask(world(comparisons=compared(kinds=("after_play",)))), CannotTell)
    nothing = tuple(TrajectoryComparison(kind="fresh", seed=seed, steps=0) for seed in range(3))
    assert isinstance(nondeterministic.rule.ask(changed(world(), comparisons=nothing)), CannotTell)
