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
    of_rows,
    table,
    written,
)
from weaklink.collect.probes.kernels._kernel import Argument, Call, Facts, Forms, Kernel

INPUTS = ("first", "second")
ARGUMENTS = (
    Argument("p_logits", ("logits_p", "logits", "policy_logits", "pi_logits", "logits_1", "logits1", "logits_a")),
    Argument("q_logits", ("logits_q", "ref_logits", "reference_logits", "logits_2", "logits2", "logits_b")),
    Argument("p_log_probs", ("log_p", "logp", "log_probs", "policy_log_probs", "log_probs_p")),
    Argument("q_log_probs", ("log_q", "logq", "ref_log_probs", "log_probs_q", "reference_log_probs")),
    Argument("p_probs", ("probs_p", "policy_probs", "probs")),
    Argument("q_probs", ("probs_q", "ref_probs", "reference_probs")),
    Argument("old_logits", ("logits_old",)),
    Argument("new_logits", ("logits_new",)),
    Argument("p", ("dist_p", "first")),
    Argument("q", ("dist_q", "second")),
)


def _right(facts: Facts) -> Forms:
    right = of_rows(categorical_kl, INPUTS)(facts)
    if not facts["either"]:
        return right
    back = of_rows(categorical_kl, INPUTS[::-1])(facts)
    return right | {f"{name}, new against old": form for name, form in back.items()}


def calls(names: frozenset[str]) -> tuple[Call, ...]:
    """KL(first || second); of old and new, either direction is in use."""
    if {"old_logits", "new_logits"} <= names:
        return (_call("old_logits", "new_logits", LOGITS, "logits", either=True),)
    for how in (LOGITS, LOG_PROBS, PROBS):
        if {f"p_{how}", f"q_{how}"} <= names:
            return (_call(f"p_{how}", f"q_{how}", how, how, either=False),)
    if {"p", "q"} <= names:
        return tuple(_call("p", "q", how, told, either=False) for how, told in FORMS_OF_ONE)
    return ()


def _call(first: str, second: str, how: str, told: str, *, either: bool) -> Call:
    def draw(rng: np.random.Generator, size: float, layout: str) -> Facts:
        one = table(rng, size)
        return {"first": one, "second": one + rng.integers(-6, 7, one.shape) / 4, "either": either}

    def give(facts: Facts) -> dict[str, Any]:
        return {first: written(facts["first"], how), second: written(facts["second"], how)}

    return Call(told, draw, give)


def _variants() -> dict[str, tuple[Callable[[Facts], Forms], ...]]:
    return {name: tuple(of_rows(wrong, INPUTS) for wrong in group) for name, group in CATEGORICAL_KL_VARIANTS.items()}


KERNEL = Kernel(
    name="categorical_kl",
    what="the exact KL(p || q) of categorical distributions",
    link=Link.POLICY,
    look="which distribution the logarithms are weighted by",
    names=("categorical_kl", "kl_categorical", "exact_kl", "kl_from_logits", "kl_divergence"),
    arguments=ARGUMENTS,
    orders=(("p", "q"),),
    layouts=("B",),
    calls=calls,
    right=_right,
    variants=_variants(),
)
