from __future__ import annotations

import contextlib
import logging
import math
import sys
import traceback
import warnings

import gymnasium as gym
import numpy as np
import pytest

from tests.survey.small import Slider, prepared
from weaklink.collect.survey.swallowed import STEPS, find_swallowed


def watched(make):
    session, environment = prepared(make)
    found = find_swallowed(session, environment)["swallowed"]
    assert session.faults == []
    assert all(one.steps == STEPS for one in found)
    return found


class Doing(Slider):
    """Does something in every step."""

    def step(self, action):
        self.something(action)
        return super().step(action)

    def something(self, action):
        raise NotImplementedError


class Catches(Doing):
    def something(self, action):
        with contextlib.suppress(ZeroDivisionError):
            _ = 1 / int(action[0])


class CatchesFromBelow(Doing):
    """Raised two functions further down and seen in each of them, but it is one exception."""

    def something(self, action):
        try:
            self.lower()
        except Exception:
            self.failures = getattr(self, "failures", 0) + 1

    def lower(self):
        self.lowest()

    def lowest(self):
        raise RuntimeError("simulation diverged")


class CatchesALibrarys(Doing):
    def something(self, action):
        with contextlib.suppress(ValueError):
            np.linalg.inv(np.zeros((2, 2)))


@pytest.mark.parametrize(
    ("make", "text", "place"),
    [
        (Catches, "ZeroDivisionError: division by zero", "in something"),
        (CatchesFromBelow, "RuntimeError: simulation diverged", "in lowest"),
        (CatchesALibrarys, "LinAlgError: Singular matrix", "in something"),
    ],
)
def test_an_exception_that_is_caught_is_told_each_time(make, text, place):
    (one,) = watched(make)
    assert (one.kind, one.text, one.times) == ("exception", text, STEPS)
    assert __file__ in one.where
    assert one.where.endswith(place)


class EndsByException(Slider):
    """The end of its simulation is an exception, and the end of the episode."""

    def step(self, action):
        observation, reward, _, truncated, info = super().step(action)
        try:
            raise RuntimeError("out of range")
        except RuntimeError:
            return observation, reward, True, truncated, info


def test_an_exception_that_ends_the_episode_is_not_swallowed():
    assert watched(EndsByException) == ()


class Patches(Doing):
    def something(self, action):
        np.nan_to_num(np.array([1.0, np.nan]))


class PatchesNothing(Doing):
    def something(self, action):
        np.nan_to_num(np.array([1.0, 2.0]))


def test_numbers_that_are_patched_are_told():
    (one,) = watched(Patches)
    assert (one.kind, one.times) == ("replaced", STEPS)
    assert one.where.endswith("in something")
    assert watched(PatchesNothing) == ()


class FindsNaN(Doing):
    def something(self, action):
        numbers = np.array([1.0, np.nan])
        numbers[np.isnan(numbers)] = 0.0


class FindsOneNaN(Doing):
    def something(self, action):
        return 0.0 if math.isnan(float("nan")) else 1.0


class FindsNothing(Doing):
    def something(self, action):
        assert np.isfinite(np.zeros(3)).all()
        assert not np.isfinite(np.array([np.inf])).any()
        assert not math.isnan(1.0)


class EndsByNaN(Slider):
    def step(self, action):
        observation, reward, _, truncated, info = super().step(action)
        return observation, reward, bool(np.isnan(np.array([np.nan])).any()), truncated, info


def test_nan_that_is_found_and_kept_quiet_is_told():
    for make, name in ((FindsNaN, "isnan"), (FindsOneNaN, "isnan")):
        (found,) = watched(make)
        assert (found.kind, found.text) == ("replaced", f"{name} met NaN, and the step went on")
    own = np.isnan, math.isnan
    assert watched(FindsNothing) == watched(EndsByNaN) == ()
    assert own == (np.isnan, math.isnan)


class Logs(Doing):
    def something(self, action):
        logging.getLogger("cart.physics").error("joint %d lost", 3)
        logging.getLogger("cart.physics").info("all is well")


class LogsAnException(Doing):
    def something(self, action):
        try:
            float("x")
        except ValueError:
            logging.getLogger("cart").exception("bad number")


def test_what_is_logged_is_told_from_warnings_up():
    (one,) = watched(Logs)
    assert (one.kind, one.text, one.times) == ("log", "error: joint 3 lost", STEPS)
    kinds = {one.kind: one.text for one in watched(LogsAnException)}
    assert kinds["log"] == "error: bad number (ValueError)"


class Warns(Doing):
    def something(self, action):
        np.float64(1e308) * np.float64(1e308)
        warnings.warn("old ways", DeprecationWarning, stacklevel=1)


def test_numerical_warnings_are_told_and_advice_is_not():
    (one,) = watched(Warns)
    assert one.kind == "warning"
    assert one.text.startswith("RuntimeWarning: overflow")
    assert one.times == STEPS


class Prints(Doing):
    def something(self, action):
        try:
            raise RuntimeError("no contact")
        except RuntimeError:
            traceback.print_exc()
            print("and on we go")


def test_a_traceback_that_is_printed_is_told_and_does_not_reach_the_screen(capsys):
    kinds = {one.kind: one for one in watched(Prints)}
    assert kinds["printed"].text == "RuntimeError: no contact"
    assert kinds["printed"].times == STEPS
    assert kinds["printed"].where.endswith("in something")
    assert capsys.readouterr() == ("", "")


class Ordinary(Doing):
    """What ordinary code does all the time."""

    def something(self, action):
        table = {"a": 1}
        try:
            table["b"]
        except KeyError:
            table["b"] = 2
        hasattr(self, "no_such_thing")
        getattr(self, "no_such_thing", None)
        next(iter(()), None)
        sum(number for number in range(3))
        with contextlib.suppress(StopIteration):
            next(iter(()))
        with contextlib.suppress(NotImplementedError):
            raise NotImplementedError


@pytest.mark.parametrize("make", [Ordinary, Slider, lambda: gym.make("CartPole-v1"), lambda: gym.make("Taxi-v4")])
def test_ordinary_control_flow_is_silent(make):
    assert watched(make) == ()


def test_watching_leaves_no_trace():
    before = sys.gettrace(), list(logging.getLogger().handlers), list(warnings.filters), sys.stdout, sys.stderr
    watched(Catches)
    after = sys.gettrace(), list(logging.getLogger().handlers), list(warnings.filters), sys.stdout, sys.stderr
    assert after == before


def test_what_is_let_out_is_a_fault():
    class Raises(Doing):
        def something(self, action):
            raise RuntimeError("out")

    session, environment = prepared(Raises)
    before = list(logging.getLogger().handlers)
    assert find_swallowed(session, environment) == {}
    assert session.faults[0].message == "RuntimeError: out"
    assert list(logging.getLogger().handlers) == before
    assert sys.gettrace() is None
