"""Curves that are made of samples are not judged a second time: the samples themselves say which tasks are alike."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.sampled import Training
from weaklink.base.evidence.config import Config
from weaklink.base.finding import CannotTell, Finding
from weaklink.collect.samples.curves import make_curves
from weaklink.judge.rules._registry import find_rule

METRICS = {"AGT301": "action.tool_calls", "AGT303": "action.tool_failures", "AGT305": "task.cost"}


def harder_and_harder():
    training = Training()
    calls = training.rng.poisson(training.ramp(3, 12)).astype(float)
    failed = training.rng.binomial(calls.astype(int), training.ramp(0.1, 0.7)).astype(float)
    return training.samples(
        tool_calls=calls, failed_calls=failed, cost=calls, success=training.chance(0.4), difficulty=training.step
    )


@pytest.mark.parametrize("code", METRICS)
def test_only_the_curves_of_a_log_are_judged(code):
    rule, made = find_rule(code), make_curves(harder_and_harder())
    answer = rule.ask(made)
    assert isinstance(answer, CannotTell)
    assert answer.missing == (METRICS[code],)
    logged = {
        name: replace(series, provenance=replace(series.provenance, axis="step"))
        for name, series in made.series.items()
    }
    assert isinstance(rule.ask(replace(made, series=logged, config=Config({"algo": "grpo"}))), Finding)


def test_what_became_harder_is_not_compared():
    for code in ("AGT301", "AGT305"):
        assert not isinstance(find_rule(code).ask(harder_and_harder()), Finding | tuple)
    assert np.isfinite(harder_and_harder()["difficulty"]).all()
