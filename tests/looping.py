"""Many cases in one test: collected in no time, and every case that fails is named."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from functools import wraps
from itertools import product
from typing import Any

import pytest

from weaklink.judge.rules._registry import Rule


def loop_over(**axes: Iterable[Any]) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """A test of every combination of the values given, the last axis fastest; its other arguments are fixtures.

    All combinations are tried, and those that fail are told together.
    """

    def make_one_test(check: Callable[..., None]) -> Callable[..., None]:
        parameters = inspect.signature(check).parameters
        values = [list(axis) for axis in axes.values()]

        @wraps(check)
        def test(**fixtures: Any) -> None:
            assert all(values), "nothing to try"
            cases = (dict(zip(axes, case, strict=True)) for case in product(*values))
            failed = [told for case in cases if (told := _failure(check, case, fixtures))]
            assert not failed, f"{len(failed)} cases failed:\n" + "\n".join(failed)

        del test.__wrapped__  # pytest would look for fixtures by the names of the axes
        test.__signature__ = inspect.Signature([one for name, one in parameters.items() if name not in axes])
        return test

    return make_one_test


def _failure(check: Callable[..., None], case: dict[str, Any], fixtures: dict[str, Any]) -> str:
    """What was wrong with one case, or nothing."""
    try:
        check(**case, **fixtures)
    except (Exception, pytest.fail.Exception) as error:
        at = inspect.getinnerframes(error.__traceback__)[-1]
        name = ", ".join(f"{key}={_name(value)}" for key, value in case.items())
        return f"[{name}] {type(error).__name__}: {error} ({at.filename}:{at.lineno})"
    return ""


def _name(value: object) -> str:
    return f"{value.code}-{value.name}" if isinstance(value, Rule) else str(value)
