from __future__ import annotations

from tests.models import checked, recurrent
from weaklink.base.evidence.model import ModelCheck
from weaklink.base.finding import CannotTell, Level
from weaklink.judge.rules._registry import find_rule


def sick():
    return [
        recurrent(reset_gap=0.8),
        recurrent(sequence_gap=0.02),
        recurrent(influence=0.0),
        recurrent(reset_gap=float("inf")),
    ]


def healthy():
    return [
        recurrent(),
        recurrent(sequence_gap=None),
        recurrent(reset_gap=2e-7, sequence_gap=1e-6),  # rounding
        recurrent(influence=1e-4),  # a fresh network whose heads are all but flat
        checked(),
        ModelCheck(),
    ]


def test_levels_and_where():
    first, second, third, _ = (find_rule("DAT110").ask(check) for check in sick())
    assert (first.level, second.level, third.level) == (Level.ERROR, Level.ERROR, Level.WARN)
    assert "training sequence" in second.message


def test_a_state_that_cannot_be_set_cannot_be_judged():
    assert isinstance(find_rule("DAT110").ask(checked(recurrent=True, memory=None)), CannotTell)
