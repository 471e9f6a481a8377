from __future__ import annotations

import pytest

from tests.worlds import world
from weaklink.base.evidence.survey import SwallowedError
from weaklink.base.finding import CannotTell, Finding, Level
from weaklink.judge.rules.environment.swallowed_exception import swallowed_exception

LIBRARY = "/home/me/venv/lib/python3.11/site-packages/numpy/_core/numerictypes.py:330 in issubclass_"


def kept(kind, text, where="env.py:57 in step", times=12):
    return world(swallowed=(SwallowedError(kind=kind, text=text, where=where, times=times, steps=400),))


def sick():
    return [
        kept("exception", "ZeroDivisionError: float division by zero"),
        kept("exception", "RuntimeError: sensor out of range"),
        kept("exception", "LinAlgError: Singular matrix", LIBRARY),
        kept("printed", "Traceback (most recent call last): KeyError: 'camera'"),
        kept("replaced", "nan_to_num got NaN or infinite values"),
        kept("log", "error: bonus failed (ZeroDivisionError)"),
        kept("log", "warning: step failed with ValueError, going on"),
        kept("warning", "RuntimeWarning: invalid value encountered in divide"),
        kept("warning", "RuntimeWarning: solver did not converge, residual 3.1e-2"),
    ]


def healthy():
    return [
        world(),
        # lookups of ordinary code, and what libraries do among themselves
        kept("exception", "KeyError: 'cache'"),
        kept("exception", "StopIteration: "),
        kept("exception", "TypeError: issubclass() arg 1 must be a class", LIBRARY),
        kept("exception", "ValueError: list.remove(x): x not in list", "/usr/lib/python3.11/warnings.py:186 in _add"),
        # advice
        kept("warning", "DeprecationWarning: Conversion of an array with ndim > 0 to a scalar is deprecated"),
        kept("warning", "UserWarning: WARN: The obs returned by the `step()` method is not within the space"),
        kept("warning", "FutureWarning: the invalid value encountered in this call will be an error"),
        kept("log", "warning: the window is hidden"),
    ]


def test_says_where_and_how_often():
    message = swallowed_exception.rule.ask(sick()[0]).message
    assert "12 times in 400 steps" in message
    assert "at env.py:57 in step" in message


def test_each_place_is_a_finding_and_five_are_enough():
    places = tuple(
        SwallowedError(kind="exception", text="ValueError: no", where=f"env.py:{line} in step", times=line)
        for line in range(1, 9)
    )
    answer = swallowed_exception.rule.ask(world(swallowed=places))
    assert len(answer) == 5
    assert "env.py:8" in answer[0].message
    assert {finding.level for finding in answer} == {Level.WARN}


def test_cannot_tell_where_nothing_was_watched():
    assert isinstance(swallowed_exception.rule.ask(world(swallowed=None)), CannotTell)


@pytest.mark.parametrize("text", ["", "x" * 5000, "a\nb"])
def test_any_text_makes_one_sentence(text):
    answer = swallowed_exception.rule.ask(kept("printed", text))
    assert isinstance(answer, Finding)
    assert len(answer.message) < 400
    assert "\n" not in answer.message
