"""Means over the tokens that count."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from weaklink.base.loop import Link
from weaklink.base.reference.masking import MASKED_MEAN_VARIANTS, masked_mean, row_means
from weaklink.collect.probes.kernels._batches import TOKEN_MASK, tokens
from weaklink.collect.probes.kernels._kernel import Answers, Argument, Call, Facts, Form, Forms, Kernel
from weaklink.collect.probes.kernels._trajectories import quarters

VALUES = Argument("values", ("x", "tensor", "loss", "losses", "per_token_loss", "xs", "value", "token_loss", "tokens"))


def _of(compute: Callable[..., Any]) -> Answers:
    def answer(facts: Facts) -> Forms:
        answer = np.asarray(compute(facts["values"], facts["mask"]))
        made = {"mean": Form((answer,))}
        if answer.ndim:
            made["mean of the means of rows"] = Form((np.asarray(np.mean(answer)),))
        return made

    return answer


def _right(facts: Facts) -> Forms:
    values, mask = facts["values"], facts["mask"]
    rows = row_means(values, mask)
    total = np.sum(values * mask)
    return {
        "mean over all tokens": Form((masked_mean(values, mask),)),
        "mean of each row": Form((rows,)),
        "mean of the means of rows": Form((np.asarray(np.mean(rows)),)),
        "sum over tokens": Form((np.asarray(total),)),
        "sum over tokens, mean over rows": Form((np.asarray(total / len(mask)),)),
    }


def calls(names: frozenset[str]) -> tuple[Call, ...]:
    """Rows of tokens, each with padding behind them."""
    if not {"values", "mask"} <= names:
        return ()

    def draw(rng: np.random.Generator, size: float, layout: str) -> Facts:
        mask = tokens(rng, size)
        return {"values": quarters(rng, mask.shape) + 0.5, "mask": mask}

    return (Call("", draw, lambda facts: facts),)


KERNEL = Kernel(
    name="masked_mean",
    what="the mean over the tokens that count: of all of them, or row by row",
    link=Link.RETURNS,
    look="what the sum is divided by",
    names=("masked_mean", "mean_with_mask", "masked_average", "token_mean", "masked_loss", "masked_mean_loss"),
    arguments=(VALUES, TOKEN_MASK),
    orders=(("values", "mask"),),
    layouts=("B",),
    calls=calls,
    right=_right,
    variants={name: tuple(map(_of, group)) for name, group in MASKED_MEAN_VARIANTS.items()},
)
