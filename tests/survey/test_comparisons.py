from __future__ import annotations

import gymnasium as gym
import numpy as np
import pytest

from tests.survey.small import Scripted, Slider, prepared
from weaklink.base.evidence.spaces import sample_space, unflatten_rows
from weaklink.collect.survey.comparisons import (
    LONGEST,
    SEEDS,
    Trajectory,
    check_action_effect,
    compare_instances,
    find_difference,
    play_trajectory,
)
from weaklink.collect.survey.session import SurveyStopped


def compared(make, **plan):
    session, environment = prepared(make, **plan)
    labels = [column.label for column in environment.observation.columns]
    return session, compare_instances(session, environment, labels)["comparisons"]


def differing(found) -> set[str]:
    return {one.kind for one in found if one.differs_at is not None}


@pytest.mark.parametrize("name", ["CartPole-v1", "Pendulum-v1", "FrozenLake-v1"])
def test_a_seed_decides_everything_in_a_sound_environment(name):
    session, found = compared(lambda: gym.make(name))
    assert [(one.kind, one.seed) for one in found] == [
        (kind, seed) for seed in SEEDS for kind in ("fresh", "repeated", "after_play", "in_turn")
    ]
    assert differing(found) == set()
    assert all(one.steps > 0 for one in found)
    assert session.deterministic is True


def test_the_first_difference_is_found_by_a_slow_loop_too():
    session, environment = prepared(lambda: gym.make("CartPole-v1"))
    rows = sample_space(environment.action, LONGEST, np.random.default_rng(0))
    first = play_trajectory(session, environment, 5, unflatten_rows(environment.action, rows))
    rows[7] = 1 - rows[7]
    second = play_trajectory(session, environment, 5, unflatten_rows(environment.action, rows))
    assert first.steps > 8
    step, what, gap = find_difference(first, second, "abcd")
    slow = next(
        (number, "abcd"[column])
        for number in range(first.steps + 1)
        for column in range(4)
        if abs(first.rows[number, column] - second.rows[number, column]) > 1e-6
    )
    assert (step, what) == slow
    assert step == 8
    assert gap == pytest.approx(abs(first.rows[8, "abcd".index(what)] - second.rows[8, "abcd".index(what)]))


class Noisy(Slider):
    """Noise from a generator that nobody seeds, in what is seen."""

    def step(self, action):
        seen, *rest = super().step(action)
        seen[1] += np.random.default_rng().normal()
        return seen, *rest


class NoisyReward(Slider):
    def step(self, action):
        seen, reward, *rest = super().step(action)
        return seen, reward + np.random.default_rng().normal(), *rest


def test_noise_of_its_own_is_seen_where_it_begins():
    session, found = compared(Noisy)
    assert differing(found) == {"fresh", "repeated", "after_play", "in_turn"}
    assert {(one.differs_at, one.what) for one in found} == {(1, "[1]")}
    assert session.deterministic is False
    _, found = compared(NoisyReward)
    assert {(one.differs_at, one.what) for one in found} == {(1, "reward")}


class NoisyStart(Slider):
    def reset(self, *, seed=None, options=None):
        return super().reset(seed=None)


def test_a_start_without_its_seed_differs_at_step_zero():
    _, found = compared(NoisyStart)
    assert {one.differs_at for one in found} == {0}


class Wears(Slider):
    """Wear that no reset takes away: after 40 steps in all, the cart slips."""

    worn = 0

    def step(self, action):
        self.worn += 1
        return super().step(action * (0.5 if self.worn > 40 else 1.0))


def test_what_survives_a_reset_shows_in_the_instance_that_has_played():
    _, found = compared(Wears)
    assert differing(found) >= {"after_play"}
    assert "fresh" not in differing(found)


class EndsAnyTime(Slider):
    def step(self, action):
        *rest, _, _, info = super().step(action)
        return *rest, bool(np.random.default_rng().random() < 0.5), False, info


def test_an_end_that_comes_at_any_time_is_a_difference():
    _, found = compared(EndsAnyTime)
    assert "terminated" in {one.what for one in found}


def test_the_last_digits_are_no_difference():
    rows = np.array([[1e6, 0.0], [2e6, 1.0]])
    one = Trajectory(rows, np.ones(1), np.zeros(1), np.zeros(1))
    close = Trajectory(rows + np.array([0.5, 1e-7]), np.ones(1) + 1e-9, np.zeros(1), np.zeros(1))
    apart = Trajectory(rows + np.array([0.5, 1e-4]), np.ones(1), np.zeros(1), np.zeros(1))
    assert find_difference(one, close, "ab") == (None, "", 0.0)
    assert find_difference(one, apart, "ab")[:2] == (0, "b")


def test_what_is_no_number_in_both_is_no_difference():
    rows = np.array([[np.nan, 1.0], [np.inf, 2.0]])
    one = Trajectory(rows, np.array([np.nan]), np.zeros(1), np.zeros(1))
    assert find_difference(one, one, "ab") == (None, "", 0.0)
    other = Trajectory(np.array([[np.nan, 1.0], [3.0, 2.0]]), np.array([np.nan]), np.zeros(1), np.zeros(1))
    assert find_difference(one, other, "ab")[:2] == (1, "a")


def test_without_new_instances_the_same_one_is_compared_with_itself():
    env = gym.make("CartPole-v1")
    session, environment = prepared(lambda: env, fresh=False)
    found = compare_instances(session, environment, "abcd")["comparisons"]
    assert {one.kind for one in found} == {"repeated"}
    assert session.deterministic is True


def test_an_environment_that_raises_each_time_is_given_up():
    session, environment = prepared(lambda: Scripted((50,), raises_at=3))
    with pytest.raises(SurveyStopped):
        compare_instances(session, environment, "abc")
    assert [fault.message for fault in session.faults] == ["ZeroDivisionError: no such step"] * 3


def whatever(make) -> bool | None:
    session, environment = prepared(make)
    session.deterministic = True
    return check_action_effect(session, environment).get("same_whatever_done")


class Deaf(Slider):
    def step(self, action):
        return super().step(np.full(2, 0.3))


class DeafButPaid(Deaf):
    """What is done changes nothing that is seen, but it is paid: a bandit."""

    def step(self, action):
        seen, _, *rest = super().step(action)
        return seen, float(action[0]), *rest


class DeafButShort(Deaf):
    def step(self, action):
        *rest, _, truncated, info = super().step(action)
        return *rest, bool(action[0] > 0.5), truncated, info


def test_whether_it_matters_what_is_done():
    assert whatever(Deaf) is True
    assert whatever(Slider) is False
    assert whatever(DeafButPaid) is False
    assert whatever(DeafButShort) is False
    assert whatever(lambda: gym.make("CartPole-v1")) is False


class PaidByChance(Slider):
    """Actions move it, and what is paid is drawn without a look at them."""

    def step(self, action):
        seen, _, *rest = super().step(action)
        return seen, float(self.np_random.normal()), *rest


def test_whether_it_matters_for_the_reward_what_is_done():
    session, environment = prepared(PaidByChance)
    session.deterministic = True
    found = check_action_effect(session, environment)
    assert found["same_whatever_done"] is False
    assert found["paid_whatever_done"] >= 300
    for make in (Slider, DeafButPaid, DeafButShort, lambda: gym.make("CartPole-v1"), lambda: gym.make("Pendulum-v1")):
        session, environment = prepared(make)
        session.deterministic = True
        assert check_action_effect(session, environment)["paid_whatever_done"] == 0


def test_of_an_environment_with_chance_nobody_can_tell():
    session, environment = prepared(Deaf)
    for known in (False, None):
        session.deterministic = known
        assert check_action_effect(session, environment) == {}
