"""Means over the tokens that count."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from weaklink.base.loop import Link
from weaklink.base.reference.masking import MASKED_MEAN_VARIANTS, masked_mean, row_means
from weaklink.collect.probes.kernels._batches import TOKEN_MASK, draw_token_mask
from weaklink.collect.probes.kernels._kernel import (
    AnswerForm,
    Answers,
    Facts,
    Forms,
    Kernel,
    KernelArgument,
    KernelCall,
)
from weaklink.collect.probes.kernels._trajectories import draw_quarters

VALUES = KernelArgument(
    "values", ("x", "tensor", "loss", "losses", "per_token_loss", "xs", "value", "token_loss", "tokens")
)


def _make_answers(compute: Callable[..., Any]) -> Answers:
    def answer(facts: Facts) -> Forms:
        answer = np.asarray(compute(facts["values"], facts["mask"]))
        made = {"mean": AnswerForm((answer,))}
        if answer.ndim:
            made["mean of the means of rows"] = AnswerForm((np.asarray(np.mean(answer)),))
        return made

    return answer


def _answer_right(facts: Facts) -> Forms:
    values, mask = facts["values"], facts["mask"]
    rows = row_means(values, mask)
    total = np.sum(values * mask)
    return {
        "mean over all tokens": AnswerForm((masked_mean(values, mask),)),
        "mean of each row": AnswerForm((rows,)),
        "mean of the means of rows": AnswerForm((np.asarray(np.mean(rows)),)),
        "sum over tokens": AnswerForm((np.asarray(total),)),
        "sum over tokens, mean over rows": AnswerForm((np.asarray(total / len(mask)),)),
    }


def list_calls(names: frozenset[str]) -> tuple[KernelCall, ...]:
    """Rows of tokens, each with padding behind them."""
    if not {"values", "mask"} <= names:
        return ()

    def draw(rng: np.random.Generator, size: float, layout: str) -> Facts:
        mask = draw_token_mask(rng, size)
        return {"values": draw_quarters(rng, mask.shape) + 0.5, "mask": mask}

    return (KernelCall("", draw, lambda facts: facts),)


KERNEL = Kernel(
    name="masked_mean",
    what="the mean over the tokens that count: of all of them, or row by row",
    link=Link.RETURNS,
    look="what the sum is divided by",
    names=("masked_mean", "mean_with_mask", "masked_average", "token_mean", "masked_loss", "masked_mean_loss"),
    arguments=(VALUES, TOKEN_MASK),
    orders=(("values", "mask"),),
    layouts=("B",),
    calls=list_calls,
    right=_answer_right,
    variants={name: tuple(map(_make_answers, group)) for name, group in MASKED_MEAN_VARIANTS.items()},
)
