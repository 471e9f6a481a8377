from __future__ import annotations

from tests.models import checked
from weaklink.base.evidence.model import ModelCheck, ModelModes, SavedCopy
from weaklink.base.finding import CannotTell, Level
from weaklink.judge.rules._registry import find_rule


def sick():
    return [
        checked(saved=SavedCopy(error="TypeError: cannot pickle '_thread.lock' object")),
        checked(saved=SavedCopy(policy_gap=0.3, value_gap=0.0, differing=("log_std",))),
        checked(saved=SavedCopy(policy_gap=0.0, value_gap=0.3)),
        checked(saved=SavedCopy(policy_gap=float("inf"))),
        checked(saved=SavedCopy(differing=("log_ent_coef",))),
    ]


def healthy():
    return [
        checked(),
        checked(saved=SavedCopy(policy_gap=1e-7, value_gap=None)),
        # a model that differs from itself is not judged by what a file does to it
        checked(saved=SavedCopy(policy_gap=0.3), modes=ModelModes(repeat_gap=0.2)),
        checked(saved=SavedCopy(), modes=None),
        checked(saved=None),
        ModelCheck(),
    ]


def test_weights_that_change_no_output_are_a_warning():
    assert find_rule("SYS110").ask(sick()[4]).level is Level.WARN
    assert find_rule("SYS110").ask(sick()[1]).level is Level.ERROR
    assert "log_std" in find_rule("SYS110").ask(sick()[1]).message


def test_an_unsteady_model_cannot_be_judged():
    assert isinstance(find_rule("SYS110").ask(healthy()[2]), CannotTell)
