from __future__ import annotations

import numpy as np
import pytest

from weaklink.base.evidence.rollout import COMPLETION, PADDING, PROMPT, TOOL, LossTokenMask, Rollout
from weaklink.base.finding import CannotTell
from weaklink.judge.rules._registry import find_rule

RULE = find_rule("LLM203")
LINE = [PADDING, PROMPT, PROMPT, COMPLETION, COMPLETION, TOOL, COMPLETION, COMPLETION, PADDING]
END = 7


def seen(change=None, ends=True, rows=4):
    kinds = np.array([LINE] * rows)
    ended = np.zeros(kinds.shape, bool)
    ended[:, END] = ends
    counted = kinds == COMPLETION
    if change is not None:
        change(counted, kinds)
    return Rollout(step=0, update=1, tokens=LossTokenMask(counted=counted, kinds=kinds, ends=ended))


def counting(kind):
    def change(counted, kinds):
        counted |= kinds == kind

    return change


def one_padding(counted, kinds):
    counted[2, -1] = True


def without_ends(counted, kinds):
    counted[:, END] = False


def prompt_and_padding(counted, kinds):
    counted[:] = kinds != TOOL


def sick():
    return [
        seen(counting(PROMPT)),
        seen(counting(TOOL)),
        seen(one_padding),
        seen(prompt_and_padding),
        seen(without_ends),
    ]


def healthy():
    def one_end(counted, kinds):
        counted[0, END] = False

    def nothing(counted, kinds):
        counted[:] = False

    def some_rows(counted, kinds):
        counted[1:3] = False

    def likely_tokens_left_out(counted, kinds):
        counted[:, 4:] = False

    return [
        seen(),
        seen(ends=False),
        seen(one_end),
        seen(some_rows),
        # only tokens of high entropy are learned from: the end is one of several that are left out
        seen(likely_tokens_left_out),
        seen(without_ends, rows=1),
        Rollout(step=0, update=1, tokens=LossTokenMask(counted=np.array([[True]]), kinds=np.array([[COMPLETION]]))),
        seen(nothing),
    ]


@pytest.mark.parametrize(
    ("at", "message"),
    [
        (0, "The loss includes 8 of 8 prompt tokens."),
        (1, "The loss includes 4 of 4 tool output tokens."),
        (2, "The loss includes 1 of 8 padding tokens."),
        (3, "The loss includes 8 of 8 prompt tokens and 8 of 8 padding tokens."),
        (4, "The loss includes none of the 4 EOS tokens that the model generated."),
    ],
)
def test_says_what_is_counted(at, message):
    assert RULE.ask(sick()[at]).message == message


def test_a_loss_that_counts_nothing_tells_nothing():
    assert isinstance(RULE.ask(healthy()[-1]), CannotTell)
