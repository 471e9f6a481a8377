from __future__ import annotations

import numpy as np
import pytest

from tests.rollouts import look
from weaklink.base.evidence.rollout import LossCall
from weaklink.base.finding import Finding
from weaklink.judge.rules._registry import find_rule

RULE = find_rule("VAL201")


def met(*pairs: tuple[tuple[int, ...], tuple[int, ...]]):
    return look(losses=tuple(LossCall(name="mse_loss", left=left, right=right) for left, right in pairs))


def sick():
    return [
        met(((256, 1), (256,))),
        met(((256,), (256, 1))),
        met(((2, 1), (2,))),
        met(((64, 1), (1, 64))),
        met(((64, 64), (64, 64)), ((64, 1), (64,)), ((64, 1), (64,))),
        met(((8, 8, 1), (8, 8))),
        met(((256, 1), (256, 6))),  # one value, a target for each dimension of the action
    ]


def healthy():
    return [
        met(((256,), (256,))),
        met(((256, 1), (256, 1))),
        met(((), (256,))),
        met(((256, 1), ())),
        met(((256,), (1,))),
        met(((1, 1), (1,))),
        met(((256, 2), (256, 1))),  # two critics, one target
        met(((10, 256), (256,))),  # an ensemble
        met(((32, 51, 1), (32, 1, 51))),  # quantiles, each with each
        met(((32, 200), (32, 25))),  # raises by itself
        met(),
    ]


def test_names_both_shapes():
    assert RULE.ask(sick()[0]).message == "mse_loss compares (256, 1) with (256,): 65,536 pairs instead of 256 rows."
    assert "(and in 1 more losses)" in RULE.ask(sick()[4]).message


@pytest.mark.parametrize("case", range(len(sick())))
def test_what_is_told_does_grow_in_numpy(case):
    call = next(call for call in sick()[case].losses if call.left != call.right)
    assert np.broadcast_shapes(call.left, call.right) != call.left
    assert isinstance(RULE.ask(look(losses=(call,))), Finding)
