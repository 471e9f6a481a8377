"""The governor: its share is kept to, dear work is done seldom but done, and asking costs nothing."""

from __future__ import annotations

import time
import timeit

import pytest

from weaklink.collect.monitor.governor import ALLOWANCE, APART, Governor


class Clock:
    """Time that passes when it is told to."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock():
    return Clock()


def trained(governor: Governor, clock: Clock, *, seconds: float, iteration: float, cost: float, kind="measure") -> int:
    """A training of equal iterations, each followed by work where it is allowed; how often it was."""
    done, end = 0, clock.now + seconds
    while clock.now < end:
        clock.now += iteration
        if governor.allows(kind):
            clock.now += cost
            governor.spent(kind, cost)
            done += 1
    return done


@pytest.mark.parametrize("cost", [0.0001, 0.001, 0.01, 0.1, 1.0, 8.0])
def test_the_share_stays_below_the_budget(clock, cost):
    governor = Governor(0.01, clock)
    done = trained(governor, clock, seconds=5000, iteration=0.1, cost=cost)
    assert governor.share <= 0.0101
    assert done >= 0.8 * min(5000 / 0.1, 5000 * 0.01 / cost)


def test_cheap_work_is_always_done(clock):
    governor = Governor(0.01, clock)
    assert trained(governor, clock, seconds=100, iteration=0.1, cost=0.0005) >= 990


def test_a_short_run_gets_numbers(clock):
    governor = Governor(0.01, clock)
    done = trained(governor, clock, seconds=0.5, iteration=0.01, cost=0.002)
    assert 20 <= done <= ALLOWANCE / 0.002


def test_the_allowance_is_earned_back(clock):
    governor = Governor(0.01, clock)
    governor.spent("measure", ALLOWANCE)
    clock.now += 4.9
    assert not governor.allows("measure")
    clock.now += 5.2
    assert governor.allows("measure")


def test_very_dear_work_is_done_seldom_but_not_never(clock):
    governor = Governor(0.01, clock)
    done = trained(governor, clock, seconds=20_000, iteration=1.0, cost=30.0)
    assert 4 <= done <= 7
    assert governor.share <= 0.0101


def test_dear_work_of_one_kind_does_not_stop_another(clock):
    governor = Governor(0.01, clock)
    governor.spent("measure", 0.001)
    clock.now += 1000
    governor.spent("judge", 0.5)
    assert governor.allows("measure")


def test_a_long_rest_does_not_buy_a_long_burst(clock):
    governor = Governor(0.01, clock)
    governor.spent("measure", 0.01)
    clock.now += 100_000
    burst = 0.0
    while governor.allows("measure"):
        governor.spent("measure", 0.01)
        burst += 0.01
    assert burst == pytest.approx(1.0, abs=0.02)


def test_a_single_dear_surprise_is_forgotten(clock):
    governor = Governor(0.01, clock)
    for _ in range(20):
        governor.spent("measure", 0.001)
    governor.spent("measure", 2.0)
    clock.now += 300
    assert governor.allows("measure")


def test_what_is_done_once_does_not_keep_the_second_check_away(clock):
    governor = Governor(0.01, clock)
    governor.spent("check", 0.7 * APART["check"])
    assert governor.allows("check")
    for _ in range(3):
        assert governor.allows("check")
        governor.spent("check", 0.05 * APART["check"])
    governor.spent("check", 0.15 * APART["check"])
    assert not governor.allows("check")


def test_checks_stand_apart_and_have_a_limit(clock):
    governor = Governor(0.01, clock)
    done = 0
    while governor.allows("check"):
        governor.spent("check", 0.7)
        done += 1
        clock.now += 0.1
    assert 0.7 * done <= APART["check"]
    assert done == 2
    assert governor.share == 0.0
    assert governor.allows("measure")
    clock.now += 1e6
    assert not governor.allows("check")


def test_what_stands_apart_has_a_limit_each(clock):
    governor = Governor(0.01, clock)
    while governor.allows("first reading"):
        governor.spent("first reading", 0.7)
    assert governor.allows("check")
    assert governor.share == 0.0


def test_a_clock_that_goes_back_is_survived(clock):
    governor = Governor(0.01, clock)
    clock.now -= 50
    governor.spent("measure", -1.0)
    assert governor.allows("measure")
    assert governor.seconds["measure"] == 0.0


def test_no_budget_allows_the_allowance_alone(clock):
    governor = Governor(0.0, clock)
    governor.spent("measure", 0.06)
    clock.now += 1e9
    assert not governor.allows("measure")


def test_asking_takes_about_a_microsecond():
    governor = Governor()
    governor.spent("measure", 1e-5)
    costs = timeit.repeat(lambda: governor.allows("measure"), timer=time.thread_time, number=10_000, repeat=5)
    assert min(costs) / 10_000 < 2e-6


def test_waiting_for_a_busy_machine_is_neither_work_nor_training():
    governor = Governor(0.01)
    began = governor.worked()
    time.sleep(0.2)
    governor.spent("measure", governor.worked() - began)
    assert governor.seconds["measure"] < 0.1
    assert governor.elapsed < 0.15


def test_time_that_passes_counts_where_an_accelerator_is_waited_for():
    governor = Governor(0.01)
    governor.wait_counts()
    began = governor.worked()
    time.sleep(0.2)
    governor.spent("measure", governor.worked() - began)
    assert governor.seconds["measure"] >= 0.2
    assert governor.elapsed >= 0.2
