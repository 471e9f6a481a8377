"""Every rule against what logs really hold: its illness, its healthy twin, and every kind of degenerate evidence."""

from __future__ import annotations

from dataclasses import replace
from importlib import import_module
from typing import Any

import numpy as np
import pytest

from weaklink.evidence.config import Config
from weaklink.evidence.run import Run
from weaklink.evidence.series import Series
from weaklink.finding import CannotTell, Finding
from weaklink.rules._registry import Rule, all_rules

RULES = list(all_rules().values())
RUN_RULES = [rule for rule in RULES if rule.on is Run]


def named(rule: Rule) -> str:
    return f"{rule.code}-{rule.name}"


def cases(rule: Rule, kind: str) -> list[Any]:
    family = rule.judge.__module__.split(".")[-2]
    module = import_module(f"tests.rules.{family}.test_{rule.judge.__name__}")
    made = getattr(module, kind)()
    return made if isinstance(made, list) else [made]


@pytest.mark.parametrize("rule", RULES, ids=named)
def test_fires_on_its_illness(rule: Rule):
    for number, evidence in enumerate(cases(rule, "sick")):
        answer = rule.ask(evidence)
        assert isinstance(answer, Finding), f"sick case {number} gave {answer}"
        assert answer.message.endswith("."), answer.message
        assert answer.fix, "what to do must be a list"
        assert answer.verify, "how to prove it must not be empty"
        assert answer.code == rule.code


@pytest.mark.parametrize("rule", RULES, ids=named)
def test_is_silent_on_its_healthy_twin(rule: Rule):
    for number, evidence in enumerate(cases(rule, "healthy")):
        answer = rule.ask(evidence)
        assert not isinstance(answer, Finding), f"healthy case {number} gave {answer}"


@pytest.mark.parametrize("rule", RULES, ids=named)
def test_cannot_tell_without_evidence(rule: Rule):
    if rule.on is Run:
        assert isinstance(rule.ask(Run(name="empty")), CannotTell)
    elif rule.on is Config:
        assert not isinstance(rule.ask(Config()), Finding)


def changed(run: Run, change: Any) -> Run:
    return replace(run, series={name: change(series) for name, series in run.series.items()})


def with_values(change: Any) -> Any:
    def apply(series: Series) -> Series:
        values = change(series.values.copy())
        return Series.of(series.name, series.steps[: len(values)], values, provenance=series.provenance)

    return apply


def sprinkled(value: float) -> Any:
    def apply(values: np.ndarray) -> np.ndarray:
        values[::7] = value
        return values

    return apply


DEGENERATE = {
    "nan here and there": with_values(sprinkled(np.nan)),
    "inf here and there": with_values(sprinkled(np.inf)),
    "all nan": with_values(lambda values: np.full_like(values, np.nan)),
    "one point": with_values(lambda values: values[:1]),
    "two points": with_values(lambda values: values[:2]),
    "constant": with_values(lambda values: np.full_like(values, 0.5)),
    "zero": with_values(np.zeros_like),
    "huge": with_values(lambda values: values * 1e300),
    "tiny": with_values(lambda values: values * 1e-300),
    "permuted": with_values(lambda values: np.random.default_rng(0).permutation(values)),
    "reversed": with_values(lambda values: values[::-1].copy()),
    "empty": with_values(lambda values: values[:0]),
}


@pytest.mark.parametrize("rule", RUN_RULES, ids=named)
@pytest.mark.parametrize("how", DEGENERATE)
@pytest.mark.filterwarnings("ignore:overflow encountered", "ignore:invalid value encountered")
def test_never_raises_on_degenerate_evidence(rule: Rule, how: str):
    for run in cases(rule, "sick") + cases(rule, "healthy"):
        answer = rule.ask(changed(run, DEGENERATE[how]))
        assert answer is None or isinstance(answer, Finding | CannotTell)


@pytest.mark.parametrize("rule", RUN_RULES, ids=named)
def test_one_metric_missing_after_the_other(rule: Rule):
    for run in cases(rule, "sick"):
        for missing in run.series:
            rest = {name: series for name, series in run.series.items() if name != missing}
            answer = rule.ask(replace(run, series=rest))
            assert answer is None or isinstance(answer, Finding | CannotTell)


@pytest.fixture(scope="module")
def ten_million() -> Series:
    rng = np.random.default_rng(0)
    return Series.of("long", np.arange(10_000_000), rng.normal(1.0, 0.3, 10_000_000))


@pytest.mark.parametrize("rule", RUN_RULES, ids=named)
def test_ten_million_points_cost_no_more_than_a_blink(rule: Rule, ten_million: Series):
    import time

    run = cases(rule, "sick")[0]
    long = changed(run, lambda series: replace(ten_million, name=series.name, provenance=series.provenance))
    started = time.process_time()
    rule.ask(long)
    assert time.process_time() - started < 0.5
