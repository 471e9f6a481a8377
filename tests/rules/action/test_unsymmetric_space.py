from __future__ import annotations

import numpy as np
import pytest

from tests.worlds import box, changed, discrete, world
from weaklink.base.evidence.spaces import Space
from weaklink.base.finding import Level
from weaklink.judge.rules.action.unsymmetric_space import unsymmetric_space


def acting(space):
    return changed(world(), action=space)


def sick():
    return [
        acting(box(1, -2.0, 2.0)),
        acting(box(2, 0.0, 100.0)),
        acting(box(2)),
        acting(Space(kind="box", shape=(2,), dtype="float32", low=np.array([-1.0, 0.0]), high=np.array([1.0, 1.0]))),
        acting(Space(kind="dict", parts={"move": discrete(3), "force": box(1, 0.0, 1.0)})),
    ]


def healthy():
    return [
        acting(space)
        for space in (
            box(6, -1.0, 1.0),
            box(3, -1.0 - 1e-9, 1.0),
            discrete(4),
            Space(kind="multi_discrete", shape=(2,), choices=(3, 5), first=(0, 0)),
            Space(kind="multi_binary", shape=(4,), dtype="int8"),
        )
    ]


@pytest.mark.parametrize(
    ("space", "told"),
    [
        (box(3, -2.0, 2.0), "3 of 3 continuous action dimensions are symmetric around 0 but do not end at 1"),
        (box(5, 0.0, 100.0), "action[2] in [0, 100] and 2 more"),
        (box(1), "have no bounds: action[0] in [-inf, inf]"),
        (Space(kind="dict", parts={"force": box(1, 0.0, 1.0)}), "not symmetric around 0: force[0] in [0, 1]"),
    ],
)
def test_says_what_is_odd(space, told):
    answer = unsymmetric_space.rule.ask(acting(space))
    assert answer.severity is Level.INFO
    assert told in answer.message


def test_the_worst_is_told_first():
    low, high = np.array([-2.0, 0.0, -np.inf]), np.array([2.0, 1.0, np.inf])
    answer = unsymmetric_space.rule.ask(acting(Space(kind="box", shape=(3,), dtype="float32", low=low, high=high)))
    assert answer.message.startswith("1 of 3 continuous action dimensions have no bounds")
