"""Advantages with mean zero and deviation one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from weaklink.base.loop import Link
from weaklink.base.reference.masking import NORMALISED_VARIANTS, normalise
from weaklink.collect.probes.kernels._batches import TOKEN_MASK, draw_token_mask
from weaklink.collect.probes.kernels._forms import EPS_SLACK
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

ADVANTAGES = KernelArgument(
    "advantages", ("adv", "advantage", "x", "values", "advs", "a", "xs", "tensor", "mb_advantages")
)


def _make_answers(compute: Callable[..., Any]) -> Answers:
    def answer(facts: Facts) -> Forms:
        return {"normalised": AnswerForm((compute(facts["advantages"], facts["mask"]),), EPS_SLACK)}

    return answer


def _answer_right(facts: Facts) -> Forms:
    return {
        f"normalised ({kind})": AnswerForm((normalise(facts["advantages"], facts["mask"], sample=sample),), EPS_SLACK)
        for kind, sample in (("population", False), ("sample", True))
    }


def list_calls(names: frozenset[str]) -> tuple[KernelCall, ...]:
    """A record over time and environments, or sequences with padding where a mask is asked for."""
    if "advantages" not in names:
        return ()
    masked = "mask" in names

    def draw(rng: np.random.Generator, size: float, layout: str) -> Facts:
        mask = (
            draw_token_mask(rng, size)
            if masked
            else np.ones((2 + int(size * 8), 1 if layout == "T" else 2), dtype=bool)
        )
        advantages = draw_quarters(rng, mask.shape) + np.arange(mask.shape[1]) + 0.5
        return {"advantages": advantages, "mask": mask}

    told = "sequences with padding" if masked else "everything at once"
    return (KernelCall(told, draw, lambda facts: facts),)


KERNEL = Kernel(
    name="normalised_advantages",
    what="advantages with mean zero and deviation one over everything that counts",
    link=Link.RETURNS,
    look="the axis of mean and deviation, and whether padding is among them",
    names=(
        "normalised_advantages", "normalized_advantages", "normalize_advantages", "normalise_advantages", "whiten",
        "normalize_advantage", "masked_whiten", "standardize",
    ),
    arguments=(ADVANTAGES, TOKEN_MASK),
    orders=(("advantages",), ("advantages", "mask")),
    layouts=("TN", "T"),
    calls=list_calls,
    right=_answer_right,
    variants={name: tuple(map(_make_answers, group)) for name, group in NORMALISED_VARIANTS.items()},
)  # fmt: skip
