from __future__ import annotations

import numpy as np
import pytest

from tests.rules.environment.test_nondeterministic import compared, drawing
from tests.worlds import play, with_play, world
from weaklink.base.evidence.survey import Resets
from weaklink.base.finding import CannotTell, Finding, Level
from weaklink.base.loop import Link
from weaklink.judge.rules.environment.reset_leak import reset_leak


def carried_on():
    """Random play in which each episode begins where the one before ended."""
    rows = np.cumsum(np.random.default_rng(0).normal(0, 0.1, (1001, 3)), axis=0)
    return play(lengths=[10] * 100, observations=rows[:-1], successors=rows[1:])


def started_alike():
    rows = carried_on()
    begun = rows.observations.copy()
    begun[::10] = 0.5
    return play(lengths=rows.lengths, observations=begun, successors=rows.successors)


NOTHING_RESET = Resets(seeded=np.random.default_rng(1).normal(size=(8, 3)), unseeded=np.full((8, 3), 0.5))


def sick():
    return [
        world(comparisons=compared("after_play")),
        world(comparisons=compared("repeated", "after_play")),
        world(comparisons=compared("after_play", what="truncated", gap=1.0, differs_at=1)),
        world(comparisons=compared("repeated", what="reward", gap=3.0)),
        with_play(world(resets=NOTHING_RESET), random=carried_on()),
    ]


def test_a_memory_of_the_reward_alone_is_told_as_such():
    answer = reset_leak.rule.ask(world(comparisons=compared("repeated", what="reward", gap=3.0)))
    assert answer.link is Link.REWARD
    assert reset_leak.rule.ask(world(comparisons=compared("after_play"))).link is Link.ENVIRONMENT


def healthy():
    fixed = np.zeros((1000, 3))
    constant = play(lengths=[10] * 100, observations=fixed, successors=fixed)
    return [
        world(),
        world(comparisons=compared()),
        world(comparisons=compared("fresh", "repeated", "after_play")),
        # draws that no seed reaches differ in every later episode
        world(comparisons=compared("after_play"), resets=drawing("numpy.random")),
        # a bandit: every observation is the same, so episodes begin where the last one ended
        with_play(world(resets=NOTHING_RESET), random=constant),
        # one start for all episodes, and none of them ends there
        with_play(world(resets=NOTHING_RESET), random=started_alike()),
        world(comparisons=compared("after_play"), facts={"nondeterministic": True}),
    ]


def test_says_what_and_where():
    message = reset_leak.rule.ask(world(comparisons=compared("after_play", differs_at=0))).message
    assert "3 of 6 comparisons" in message
    assert "`observation[1]` already differs in the first observation by 0.5" in message


@pytest.mark.parametrize(("gap", "level"), [(1e-6, Level.INFO), (0.1, Level.ERROR)])
def test_the_order_of_contacts_in_a_physics_engine_is_only_worth_knowing(gap, level):
    assert reset_leak.rule.ask(world(comparisons=compared("after_play", gap=gap))).level is level


def test_a_flag_is_never_slight():
    survey = world(comparisons=compared("after_play", what="terminated", gap=1e-9))
    assert reset_leak.rule.ask(survey).level is Level.ERROR


@pytest.mark.parametrize("wrapper", ["NormalizeObservation", "EpisodicLifeEnv", "VecNormalize"])
def test_a_wrapper_that_keeps_state_on_purpose_is_only_worth_knowing(wrapper):
    survey = world(comparisons=compared("repeated", "after_play"), facts={"wrappers": ("TimeLimit", wrapper)})
    answer = reset_leak.rule.ask(survey)
    assert answer.level is Level.INFO
    assert wrapper in answer.message


def test_cannot_tell_without_new_instances_or_without_play_before():
    assert isinstance(reset_leak.rule.ask(world(comparisons=compared(kinds=("repeated",)))), CannotTell)
    assert isinstance(reset_leak.rule.ask(world(comparisons=compared(kinds=("fresh", "repeated")))), CannotTell)


def test_a_few_episodes_that_go_on_prove_nothing():
    rows = carried_on()
    few = play(lengths=[250] * 4, observations=rows.observations, successors=rows.successors)
    assert not isinstance(reset_leak.rule.ask(with_play(world(resets=NOTHING_RESET), random=few)), Finding)


def test_a_first_observation_that_differs_is_never_slight():
    begun = world(comparisons=compared("after_play", gap=1e-6, differs_at=0))
    later = world(comparisons=compared("after_play", gap=1e-6, differs_at=5))
    assert reset_leak.rule.ask(begun).severity is Level.ERROR
    assert reset_leak.rule.ask(later).severity is Level.INFO


def test_a_normaliser_excuses_numbers_and_no_ends():
    facts = {"wrappers": ("NormalizeObservation",)}
    numbers = world(comparisons=compared("after_play", gap=0.5), facts=facts)
    ends = world(comparisons=compared("after_play", what="truncated", gap=1.0), facts=facts)
    assert reset_leak.rule.ask(numbers).severity is Level.INFO
    assert reset_leak.rule.ask(ends).severity is Level.ERROR
