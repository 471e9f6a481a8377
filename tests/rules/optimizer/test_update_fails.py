from __future__ import annotations

from tests.models import checked
from weaklink.base.evidence.model import ModelCheck, ModelUpdates
from weaklink.base.finding import CannotTell
from weaklink.judge.rules._registry import find_rule

NAN = float("nan")


def sick():
    return [
        checked(updates=ModelUpdates(count=0, error="RuntimeError: mat1 and mat2 shapes", where="net.py:3 in forward")),
        checked(updates=ModelUpdates(count=3, losses={"loss": NAN, "value_loss": 1.0}, non_finite=("loss",))),
        checked(updates=ModelUpdates(count=2, losses={"loss": float("inf")}, non_finite=("loss",))),
    ]


def healthy():
    return [
        checked(),
        checked(updates=ModelUpdates(count=3, losses={"value_loss": 1e9})),
        checked(updates=ModelUpdates(count=3)),
        checked(updates=None),
        ModelCheck(),
    ]


def test_says_where_it_was_raised():
    answer = find_rule("OPT112").ask(sick()[0])
    assert answer.message == "Update 1 raised RuntimeError: mat1 and mat2 shapes (net.py:3 in forward)."


def test_no_update_is_no_proof():
    assert isinstance(find_rule("OPT112").ask(checked(updates=ModelUpdates(count=0))), CannotTell)
