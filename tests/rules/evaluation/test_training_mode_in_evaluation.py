from __future__ import annotations

from tests.models import checked
from weaklink.base.evidence.model import ModelCheck, ModelModes
from weaklink.base.finding import Level
from weaklink.judge.rules._registry import find_rule


def sick():
    return [
        checked(modes=ModelModes(repeat_gap=0.2, training_gap=0.3, layers=("net.1",), active=("net.1",))),
        checked(modes=ModelModes(repeat_gap=0.2)),
        checked(modes=ModelModes(repeat_gap=0.0, training_gap=0.5, layers=("bn",), active=("bn",))),
    ]


def healthy():
    return [
        checked(),
        # dropout that is off when the model predicts
        checked(modes=ModelModes(repeat_gap=0.0, training_gap=0.4, layers=("net.1",))),
        checked(modes=ModelModes(repeat_gap=1e-7, training_gap=1e-7)),
        # a layer with a switch that makes no difference
        checked(modes=ModelModes(repeat_gap=0.0, training_gap=0.0, layers=("net.1",), active=("net.1",))),
        checked(modes=None),
        ModelCheck(),
    ]


def test_levels():
    assert [find_rule("EVA110").ask(check).level for check in sick()] == [Level.ERROR, Level.ERROR, Level.WARN]
