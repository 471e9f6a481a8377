from __future__ import annotations

from tests.models import checked, network
from weaklink.base.evidence.model import ModelCheck, ModelUpdates
from weaklink.base.finding import CannotTell
from weaklink.judge.rules._registry import find_rule

STILL = network(net={"changed": 0.0})


def sick():
    return [
        checked(parameters=STILL, updates=ModelUpdates(count=3, learning_rates=(0.0,))),
        checked(parameters=STILL, updates=ModelUpdates(count=3, learning_rates=(1e-12, 1e-12))),
        checked(parameters=STILL, updates=ModelUpdates(count=1)),
    ]


def healthy():
    return [
        checked(),
        # only one layer moved: line searches fail, a critic learns alone
        checked(parameters=network(net={"changed": 0.0}, action_net={"changed": 1e-9})),
        checked(parameters=network(net={"changed": float("nan")})),
        checked(parameters=network(net={"changed": None, "in_optimizer": None})),
        checked(parameters=STILL, updates=ModelUpdates(count=0, error="ValueError: wrong shape")),
        checked(updates=None),
        ModelCheck(),
    ]


def test_names_a_learning_rate_of_zero():
    answer = find_rule("OPT111").ask(sick()[0])
    assert answer.message == "3 updates moved none of 640 trainable weights: the learning rate is 0."


def test_an_update_that_raised_is_for_another_rule():
    failed = checked(parameters=STILL, updates=ModelUpdates(count=0, error="ValueError: wrong shape"))
    assert isinstance(find_rule("OPT111").ask(failed), CannotTell)
    assert "wrong shape" in find_rule("OPT112").ask(failed).message
