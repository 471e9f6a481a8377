"""Accepted forms of one answer: normalised or not, reduced or not, with or without the factor of one half."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from weaklink.collect.probes.kernels._kernel import AnswerForm, Answers, Array, Facts, Forms

EPS_SLACK = 3e-3
"""How far a small constant under a fraction may move a normalised result."""


def make_scaled_forms(label: str, array: Array) -> dict[str, AnswerForm]:
    """As it is, and with mean zero and deviation one: that of a population or of a sample."""
    made = {label: AnswerForm((array,))}
    for kind, ddof in (("population", 0), ("sample", 1)):
        made[f"{label}, normalised ({kind})"] = AnswerForm((whiten(array, ddof),), EPS_SLACK)
    return made


def whiten(array: Array, ddof: int) -> Array:
    """Mean zero and deviation one over everything; not a number where there are too few or all are the same."""
    if array.size < 2 or float(np.std(array)) < 1e-2:
        return np.full_like(array, np.nan, dtype=np.float64)
    return np.asarray((array - array.mean()) / (array.std(ddof=ddof) + 1e-8))


def make_reduced_forms(each: Array, mask: Array | None = None, factors: tuple[float, ...] = (1.0,)) -> Forms:
    """One number a sample, their mean, their sum; of tokens also by sequence; each times the factors."""
    made: dict[str, Any] = {"each": each, "mean": np.mean(each), "sum": np.sum(each)}
    if mask is not None:
        counts = np.maximum(mask.sum(axis=1), 1)
        total = np.sum(each * mask)
        made = {
            "each": np.where(mask, each, np.nan),
            "mean over tokens": total / mask.sum(),
            "mean of the means of sequences": np.mean(np.sum(each * mask, axis=1) / counts),
            "sum": total,
            "sum over tokens, mean over sequences": total / len(mask),
            "sum over the full length": total / mask.size,
            "sum of each sequence": np.sum(each * mask, axis=1),
            "mean of each sequence": np.sum(each * mask, axis=1) / counts,
        }
    elif each.ndim == 2:
        made["mean of each row"] = each.mean(axis=1)
        made["sum of each row"] = each.sum(axis=1)
        made["sum of each row, mean over rows"] = np.asarray(each.sum(axis=1).mean())
    named = {1.0: "", 0.5: ", half"}
    return {
        f"{name}{named.get(factor, f', times {factor:g}')}": AnswerForm((np.asarray(factor * array),))
        for factor in factors
        for name, array in made.items()
    }


def make_answers(compute: Callable[..., Any], inputs: tuple[str, ...], form: Callable[[Any, Facts], Forms]) -> Answers:
    """The forms of what a reference function makes of these facts."""

    def answer(facts: Facts) -> Forms:
        return form(compute(*(facts[name] for name in inputs)), facts)

    return answer


def answer_variants(
    variants: Mapping[str, tuple[Callable[..., Any], ...]], inputs: tuple[str, ...], form: Callable[[Any, Facts], Forms]
) -> dict[str, tuple[Answers, ...]]:
    """The same for every wrong variant."""
    return {name: tuple(make_answers(wrong, inputs, form) for wrong in group) for name, group in variants.items()}
