from __future__ import annotations

import numpy as np

from tests.worlds import play, with_play, world
from weaklink.base.evidence.survey import CUT
from weaklink.base.finding import CannotTell, Finding, Level
from weaklink.judge.rules.environment.oracle_fails import oracle_fails


def earned(policy, mean, *, episodes=100, spread=1.0, seed=0):
    """One step an episode, which pays around the mean."""
    rewards = np.random.default_rng([seed, *policy.encode()]).normal(mean, spread, episodes)
    return play(policy, episodes=episodes, length=1, rewards=rewards)


def given(random=0.0, **means):
    return with_play(
        world(), random=earned("random", random), **{name: earned(name, mean) for name, mean in means.items()}
    )


def sick():
    return [
        given(automaton=0.0),
        given(cheat=0.05),
        given(automaton=0.0, cheat=3.0),
        # never succeeds, while random play does now and then by chance
        with_play(
            world(),
            random=play(length=1, rewards=(np.arange(100) % 10 < 1).astype(float)),
            automaton=play("automaton", length=1, rewards=np.zeros(100)),
        ),
        # both always earn the same
        with_play(
            world(), random=play(rewards=np.full(5000, -1.0)), automaton=play("automaton", rewards=np.full(5000, -1.0))
        ),
    ]


def healthy():
    return [
        world(),
        given(automaton=1.0),
        given(cheat=0.8),
        # hard, but clearly better: three of ten succeed, and random play never
        with_play(
            world(),
            random=play(length=1, rewards=np.zeros(100)),
            automaton=play("automaton", length=1, rewards=(np.arange(100) % 10 < 3).astype(float)),
        ),
        # worse beyond chance: a sign confused, which another rule tells
        given(automaton=-3.0),
    ]


def test_tells_the_difference_and_the_level():
    answer = oracle_fails.rule.ask(given(automaton=0.0))
    assert answer.level is Level.ERROR
    assert "99 % interval" in answer.message
    assert "the cheat does better" not in answer.message


def test_a_cheat_that_succeeds_where_the_automaton_fails_says_what_is_missing():
    assert "the observation lacks" in oracle_fails.rule.ask(given(automaton=0.0, cheat=3.0)).message


def test_both_that_fail_are_two_findings():
    assert len(oracle_fails.rule.ask(given(automaton=0.0, cheat=0.0))) == 2


def test_cannot_tell_without_a_policy_or_from_few_episodes():
    assert isinstance(oracle_fails.rule.ask(world()), CannotTell)
    few = with_play(world(), automaton=earned("automaton", 0.0, episodes=10))
    assert isinstance(oracle_fails.rule.ask(few), CannotTell)
    unsure = with_play(
        world(), random=earned("random", 0.0, episodes=20), automaton=earned("automaton", 0.7, episodes=20)
    )
    assert isinstance(oracle_fails.rule.ask(unsure), CannotTell)


def test_returns_that_are_not_finite_are_left_out():
    nan = play("automaton", rewards=np.full(5000, np.nan))
    assert isinstance(oracle_fails.rule.ask(with_play(world(), automaton=nan)), CannotTell)


def test_a_play_without_an_end_is_no_evidence():
    cut = play("automaton", ends=CUT)
    assert not isinstance(oracle_fails.rule.ask(with_play(world(), automaton=cut)), Finding)
