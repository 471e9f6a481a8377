"""Mean and variance of two samples, from those of each."""

from __future__ import annotations

from typing import Any

import numpy as np

from weaklink.base.loop import Link
from weaklink.base.reference.moments import MOMENTS_VARIANTS, Merge, merge_moments, moments
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

ARGUMENTS = (
    KernelArgument("mean", ("mean_a", "old_mean", "mean1", "running_mean", "avg_a", "m")),
    KernelArgument("var", ("variance", "var_a", "old_var", "var1", "running_var")),
    KernelArgument("count", ("count_a", "n_a", "old_count", "n1", "n"), number=True),
    KernelArgument("batch_mean", ("mean_b", "new_mean", "mean2", "avg_b")),
    KernelArgument("batch_var", ("var_b", "new_var", "var2", "batch_variance")),
    KernelArgument("batch_count", ("count_b", "n_b", "batch_size", "n2", "batch_n"), number=True),
)


def _make_answers(merge: Merge) -> Answers:
    def answer(facts: Facts) -> Forms:
        mean, variance, _ = merge(facts["one"], facts["two"])
        return {"mean and variance": AnswerForm((mean, variance), 1e-4)}

    return answer


def list_calls(names: frozenset[str]) -> tuple[KernelCall, ...]:
    """Two samples of differing size and place."""
    if not {"mean", "var", "count", "batch_mean", "batch_var", "batch_count"} <= names:
        return ()

    def draw(rng: np.random.Generator, size: float, layout: str) -> Facts:
        columns = 1 + int(size * 2)
        samples = [draw_quarters(rng, (2 + int(rng.integers(0, 2 + int(size * 8))), columns)) for _ in range(2)]
        return {"one": moments(samples[0]), "two": moments(samples[1] + draw_quarters(rng, (columns,)))}

    def give(facts: Facts) -> dict[str, Any]:
        (mean, var, count), (batch_mean, batch_var, batch_count) = facts["one"], facts["two"]
        first = {"mean": mean, "var": var, "count": count}
        return first | {"batch_mean": batch_mean, "batch_var": batch_var, "batch_count": int(batch_count)}

    return (KernelCall("", draw, give),)


KERNEL = Kernel(
    name="merged_moments",
    what="mean and variance of two samples taken together",
    link=Link.OBSERVATION,
    look="the term with the squared difference of both means, and the counts",
    names=("merged_moments", "update_mean_var_count_from_moments", "merge_moments", "combine_moments"),
    arguments=ARGUMENTS,
    orders=(("mean", "var", "count", "batch_mean", "batch_var", "batch_count"),),
    layouts=("",),
    calls=list_calls,
    right=_make_answers(merge_moments),
    variants={name: tuple(map(_make_answers, group)) for name, group in MOMENTS_VARIANTS.items()},
)
