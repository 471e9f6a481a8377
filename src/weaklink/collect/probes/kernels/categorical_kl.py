"""The exact KL divergence of two categorical distributions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from weaklink.base.loop import Link
from weaklink.base.reference.divergences import CATEGORICAL_KL_VARIANTS, categorical_kl
from weaklink.collect.probes.kernels._distributions import (
    FORMS_OF_ONE,
    LOG_PROBS,
    LOGITS,
    PROBS,
    answer_rows,
    convert_logits,
    draw_logits,
)
from weaklink.collect.probes.kernels._kernel import Facts, Forms, Kernel, KernelArgument, KernelCall

INPUTS = ("first", "second")
ARGUMENTS = (
    KernelArgument("p_logits", ("logits_p", "logits", "policy_logits", "pi_logits", "logits_1", "logits1", "logits_a")),
    KernelArgument("q_logits", ("logits_q", "ref_logits", "reference_logits", "logits_2", "logits2", "logits_b")),
    KernelArgument("p_log_probs", ("log_p", "logp", "log_probs", "policy_log_probs", "log_probs_p")),
    KernelArgument("q_log_probs", ("log_q", "logq", "ref_log_probs", "log_probs_q", "reference_log_probs")),
    KernelArgument("p_probs", ("probs_p", "policy_probs", "probs")),
    KernelArgument("q_probs", ("probs_q", "ref_probs", "reference_probs")),
    KernelArgument("old_logits", ("logits_old",)),
    KernelArgument("new_logits", ("logits_new",)),
    KernelArgument("p", ("dist_p", "first")),
    KernelArgument("q", ("dist_q", "second")),
)


def _answer_right(facts: Facts) -> Forms:
    right = answer_rows(categorical_kl, INPUTS)(facts)
    if not facts["either"]:
        return right
    back = answer_rows(categorical_kl, INPUTS[::-1])(facts)
    return right | {f"{name}, new against old": form for name, form in back.items()}


def list_calls(names: frozenset[str]) -> tuple[KernelCall, ...]:
    """KL(first || second); of old and new, either direction is in use."""
    if {"old_logits", "new_logits"} <= names:
        return (_make_call("old_logits", "new_logits", LOGITS, "logits", either=True),)
    for how in (LOGITS, LOG_PROBS, PROBS):
        if {f"p_{how}", f"q_{how}"} <= names:
            return (_make_call(f"p_{how}", f"q_{how}", how, how, either=False),)
    if {"p", "q"} <= names:
        return tuple(_make_call("p", "q", how, told, either=False) for how, told in FORMS_OF_ONE)
    return ()


def _make_call(first: str, second: str, how: str, told: str, *, either: bool) -> KernelCall:
    def draw(rng: np.random.Generator, size: float, layout: str) -> Facts:
        one = draw_logits(rng, size)
        return {"first": one, "second": one + rng.integers(-6, 7, one.shape) / 4, "either": either}

    def give(facts: Facts) -> dict[str, Any]:
        return {first: convert_logits(facts["first"], how), second: convert_logits(facts["second"], how)}

    return KernelCall(told, draw, give)


def _list_variants() -> dict[str, tuple[Callable[[Facts], Forms], ...]]:
    return {
        name: tuple(answer_rows(wrong, INPUTS) for wrong in group) for name, group in CATEGORICAL_KL_VARIANTS.items()
    }


KERNEL = Kernel(
    name="categorical_kl",
    what="the exact KL(p || q) of categorical distributions",
    link=Link.POLICY,
    look="which distribution the logarithms are weighted by",
    names=("categorical_kl", "kl_categorical", "exact_kl", "kl_from_logits", "kl_divergence"),
    arguments=ARGUMENTS,
    orders=(("p", "q"),),
    layouts=("B",),
    calls=list_calls,
    right=_answer_right,
    variants=_list_variants(),
)
