"""Every rule on a look inside the loop against looks that are damaged in every way."""

from __future__ import annotations

from dataclasses import fields, is_dataclass, replace
from typing import Any

import numpy as np
import pytest

from tests.looping import loop_over
from tests.rules.test_battery import cases, some_cases
from weaklink.base.evidence.rollout import Rollout
from weaklink.base.finding import CannotTell, Finding
from weaklink.judge.rules._registry import Rule, load_rules_on

RULES = list(load_rules_on(Rollout).values())
pytestmark = pytest.mark.filterwarnings(
    "ignore:overflow encountered", "ignore:invalid value encountered", "ignore:divide by zero"
)


def changed(part: Any, change: Any) -> Any:
    """The same evidence with every array of numbers changed."""
    if isinstance(part, np.ndarray):
        concerned = part.ndim > 0 and (np.issubdtype(part.dtype, np.floating) or change in SHAPES)
        return change(part.copy()) if concerned else part
    if isinstance(part, dict):
        return {key: changed(value, change) for key, value in part.items()}
    if isinstance(part, tuple):
        return tuple(changed(value, change) for value in part)
    if is_dataclass(part):
        return replace(part, **{field.name: changed(getattr(part, field.name), change) for field in fields(part)})
    return part


def sprinkled(value: float) -> Any:
    def apply(values: np.ndarray) -> np.ndarray:
        values.reshape(-1)[::7] = value
        return values

    return apply


def one_row(values: np.ndarray) -> np.ndarray:
    return values[:1]


def empty(values: np.ndarray) -> np.ndarray:
    return values[:0]


def one_axis_more(values: np.ndarray) -> np.ndarray:
    return values[..., None]


SHAPES = (one_row, empty, one_axis_more)
DAMAGE = {
    "nan here and there": sprinkled(np.nan),
    "inf here and there": sprinkled(np.inf),
    "all nan": lambda values: np.full_like(values, np.nan),
    "constant": lambda values: np.full_like(values, 0.5),
    "zero": np.zeros_like,
    "huge": lambda values: np.where(values < 0, -1, 1) * 1e300,
    "tiny": lambda values: values.astype(np.float64) * 1e-300,
    "one row": one_row,
    "empty": empty,
    "one axis more": one_axis_more,
}


@pytest.mark.slow
@some_cases
@loop_over(rule=RULES, how=DAMAGE)
def test_never_raises_on_a_damaged_look(rule: Rule, how: str, some: slice):
    healthy = cases(rule, "healthy") if some.start else []  # which is damaged in some ways below as well
    for rollout in cases(rule, "sick")[some] + healthy:
        answer = rule.ask(changed(rollout, DAMAGE[how]))
        assert answer is None or isinstance(answer, Finding | CannotTell | tuple)


@pytest.mark.slow
@loop_over(rule=RULES)
def test_one_part_missing_after_the_other(rule: Rule):
    for rollout in cases(rule, "sick"):
        for field in fields(Rollout):
            part = getattr(rollout, field.name)
            if not is_dataclass(part):
                continue
            for inner in fields(part):
                try:
                    damaged = replace(rollout, **{field.name: replace(part, **{inner.name: None})})
                except TypeError:
                    continue
                if inner.default is None:
                    answer = rule.ask(damaged)
                    assert answer is None or isinstance(answer, Finding | CannotTell | tuple)


@loop_over(rule=RULES)
def test_cannot_tell_of_an_empty_look(rule: Rule):
    assert isinstance(rule.ask(Rollout(step=0.0, update=1)), CannotTell)


@loop_over(rule=RULES, how=["nan here and there", "inf here and there", "all nan", "empty"])
def test_a_damaged_healthy_look_makes_no_alarm(rule: Rule, how: str):
    for number, rollout in enumerate(cases(rule, "healthy")):
        answer = rule.ask(changed(rollout, DAMAGE[how]))
        assert not isinstance(answer, Finding | tuple), f"healthy case {number} gave {answer}"
