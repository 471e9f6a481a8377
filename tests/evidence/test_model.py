"""A check of a model travels as plain numbers, says what it has, and makes no rule raise whatever it holds."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from tests.models import checked, network, normaliser, recurrent, sensitivity
from weaklink.base.evidence.model import ModelCheck, ModelModes, ModelUpdates, RecurrentMemory, SavedCopy
from weaklink.base.finding import CannotTell, Finding
from weaklink.judge.rules._registry import Rule, load_rules

RULES = [rule for rule in load_rules().values() if rule.on is ModelCheck]
NAN, INF = float("nan"), float("inf")


def test_there_and_back():
    check = checked(normalisers=(normaliser(),), memory=RecurrentMemory(influence=1.0, reset_gap=0.0))
    assert msgspec.msgpack.decode(msgspec.msgpack.encode(check), type=ModelCheck) == check


def test_contains_what_was_examined():
    check = checked(gradients=0)
    assert "parameters" in check
    assert "normalisers" in check, "none is there, which was seen"
    assert "gradients" in check, "none arrived, which was seen"
    assert "memory" not in check
    assert "nonsense" not in check


def odd(value: float) -> list[ModelCheck]:
    return [
        checked(parameters=network(net={"gradient": value, "changed": value})),
        checked(parameters=()),
        checked(sensitivity=sensitivity(policy=(value,) * 3, value=(value,) * 3, policy_overall=value)),
        checked(sensitivity=sensitivity(value_overall=value, policy_far=value, value_far=value)),
        checked(sensitivity=sensitivity(rows=0, labels=(), spread=(), policy=(), value=())),
        checked(normalisers=(normaliser(samples=value, clipped=value, centre=value, scale=value, clip=None),), steps=5),
        checked(normalisers=(normaliser(samples=0.0, centre=value, scale=value, training=None),), steps=None),
        recurrent(influence=value, reset_gap=value, sequence_gap=value),
        checked(updates=ModelUpdates(count=0, losses={"loss": value}, learning_rates=(value,))),
        checked(saved=SavedCopy(policy_gap=value, value_gap=value)),
        checked(modes=ModelModes(repeat_gap=value, training_gap=value)),
    ]


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
@pytest.mark.parametrize("value", [NAN, INF, -INF, 0.0, 1e300])
def test_no_rule_raises(rule: Rule, value: float):
    for check in odd(value):
        answers: Any = rule.ask(check)
        for answer in answers if isinstance(answers, tuple) else (answers,):
            assert answer is None or isinstance(answer, Finding | CannotTell)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
def test_nothing_examined_is_never_a_pass(rule: Rule):
    assert isinstance(rule.ask(ModelCheck()), CannotTell)


def test_the_rules_on_models_are_these():
    assert {rule.code for rule in RULES} >= {
        "OPT110",
        "OPT111",
        "OPT112",
        "OBS120",
        "OBS121",
        "DAT110",
        "SYS110",
        "EVA110",
    }
