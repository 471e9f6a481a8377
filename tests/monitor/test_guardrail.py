from __future__ import annotations

import math

import pytest

from weaklink.collect.monitor.guardrail import Advice, ppo_guardrail

STOP, LOWER, EXPLORE = "stop update", "lower learning rate or epochs", "raise exploration"

FINE = {"kl": 0.01, "target_kl": 0.01, "clip_fraction": 0.2, "entropy": 1.0, "entropy_floor": 0.1}


@pytest.mark.parametrize(
    ("changed", "action"),
    [
        ({}, "continue"),
        ({"kl": 0.02}, "continue"),
        ({"kl": 0.0201}, STOP),
        ({"kl": math.inf}, STOP),
        ({"kl": math.nan}, STOP),
        ({"clip_fraction": 0.4}, "continue"),
        ({"clip_fraction": 0.41}, LOWER),
        ({"entropy": 0.1}, "continue"),
        ({"entropy": 0.09}, EXPLORE),
        ({"entropy": -5.0, "entropy_floor": None}, "continue"),
        ({"kl": 1.0, "clip_fraction": 0.9, "entropy": 0.0}, STOP),
        ({"clip_fraction": 0.9, "entropy": 0.0}, LOWER),
        ({"target_kl": None, "kl": 0.049}, "continue"),
        ({"target_kl": None, "kl": 0.051}, STOP),
        ({"target_kl": math.nan, "kl": 0.051}, STOP),
        ({"kl": "0.5"}, STOP),
    ],
)
def test_the_table_to_the_letter(changed, action):
    advice = ppo_guardrail({**FINE, **changed})
    assert advice.action == action
    assert str(advice) == f"{action}: {advice.why}"


def test_other_names_are_known():
    assert ppo_guardrail({"policy.kl": 0.06}).action == STOP
    assert ppo_guardrail({"train/approx_kl": 0.06}).action == STOP
    assert ppo_guardrail({"train/clip_fraction": 0.5}).action == LOWER
    assert ppo_guardrail({"policy.clip_fraction": 0.5}).action == LOWER
    assert ppo_guardrail({"exploration.entropy": 0.0, "entropy_floor": 0.1}).action == EXPLORE


@pytest.mark.parametrize("nothing", [{}, None, {"kl": None, "clip_fraction": "much"}])
def test_what_is_not_known_stops_nothing(nothing):
    assert ppo_guardrail(nothing).action == "continue"


def test_advice_tells_the_numbers():
    assert ppo_guardrail({"kl": 0.5, "target_kl": 0.02}) == Advice(
        STOP, "the KL is 0.5, more than twice its target of 0.02."
    )
