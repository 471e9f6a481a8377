"""A running mean and variance that is fed batch by batch, or sample by sample."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from weaklink.adapters.torch import arrays as torch_arrays
from weaklink.base.loop import Link
from weaklink.base.reference.moments import MOMENTS_VARIANTS, Merge, merge_batches, merge_moments
from weaklink.collect.probes.kernels._arrays import Array, Unreadable
from weaklink.collect.probes.kernels._kernel import AnswerForm, Answers, Facts, Forms, Kernel, KernelCall
from weaklink.collect.probes.kernels._objects import call_method, make_object, read_field
from weaklink.collect.probes.kernels._trajectories import draw_quarters

UPDATE = ("update", "push", "add", "observe", "record", "update_from_batch", "feed")
MEAN = ("mean", "running_mean", "mean_", "mu", "_mean")
VARIANCE = ("var", "variance", "running_var", "var_", "_var", "sigma2")
STD = ("std", "stddev", "running_std", "sigma", "std_")
SLACK = 5e-3
"""How far a start with a small made-up count may move the result."""


def drive_moments(factory: object, given: Mapping[str, Any]) -> tuple[Array, Array]:
    """Feeds the batches and reads mean and variance: whole batches first, else sample by sample; numpy, else torch."""
    batches: list[Array] = given["batches"]
    singles = [row for batch in batches for row in batch]
    kinds: tuple[Callable[[Array], Any], ...] = (np.copy, lambda array: torch_arrays.to_tensor(array, False))
    failure: Exception | None = None
    for feed in (batches, singles) if given["whole"] else (singles,):
        for kind in kinds if torch_arrays.in_use() else kinds[:1]:
            try:
                return _feed_batches(factory, [kind(array) for array in feed], batches[0].shape[1])
            except Exception as error:  # the other way may be the one that is meant
                failure = failure or error
    raise failure or Unreadable("it cannot be fed")


def _feed_batches(factory: object, feed: list[Any], width: int) -> tuple[Array, Array]:
    known = {"shape": (width,), "size": width, "dim": width, "n": width, "num_inputs": width, "obs_dim": width}
    known |= {"obs_shape": (width,), "in_shape": (width,), "input_dim": width, "num_features": width}
    moments = make_object(factory, known)
    for array in feed:
        call_method(moments, UPDATE, {"x": array, "arr": array, "batch": array, "data": array}, ("x",))
    mean, variance, std = read_field(moments, MEAN), read_field(moments, VARIANCE), read_field(moments, STD)
    if mean is None or (variance is None and std is None):
        raise Unreadable("it has no mean and variance to read")
    mean, variance = np.asarray(mean), np.asarray(std**2 if variance is None and std is not None else variance)
    if mean.reshape(-1).shape != (width,) or variance.reshape(-1).shape != (width,):
        raise Unreadable("its mean or variance has not the shape of one sample")
    return mean.reshape(-1).astype(np.float64), variance.reshape(-1).astype(np.float64)


def _make_answers(merge: Merge, from_nothing: bool = False) -> Answers:
    def answer(facts: Facts) -> Forms:
        mean, variance, count = merge_batches(facts["fed"], merge, from_nothing=from_nothing)
        sample = variance * count / max(count - 1.0, 1.0)
        return {
            "variance of a population": AnswerForm((mean, variance), SLACK),
            "variance of a sample": AnswerForm((mean, sample), SLACK),
        }

    return answer


def _draw(rng: np.random.Generator, size: float, layout: str) -> Facts:
    width = 2 + int(size * 2)
    batches = [
        draw_quarters(rng, (int(rng.integers(3, 8)), width)) + draw_quarters(rng, (width,))
        for _ in range(2 + int(size * 4))
    ]
    return {"batches": batches, "fed": batches}


def _give_singly(facts: Facts) -> Facts:
    return {"batches": facts["batches"], "whole": False}


def list_calls(names: frozenset[str]) -> tuple[KernelCall, ...]:
    """Batches as they come, or every row by itself."""

    def draw_singles(rng: np.random.Generator, size: float, layout: str) -> Facts:
        facts = _draw(rng, size, layout)
        return facts | {"fed": [row[None] for batch in facts["batches"] for row in batch]}

    batched = KernelCall("batches", _draw, lambda facts: {"batches": facts["batches"], "whole": True})
    return (batched, KernelCall("one sample at a time", draw_singles, _give_singly))


KERNEL = Kernel(
    name="running_moments",
    what="a class that keeps a running mean and variance",
    link=Link.OBSERVATION,
    look="the term with the squared difference of both means, and what a batch counts for",
    names=(
        "RunningMeanStd",
        "RunningMoments",
        "RunningMeanVar",
        "RunningStat",
        "RunningStats",
        "Welford",
        "Normalizer",
    ),
    calls=list_calls,
    layouts=("",),
    right=_make_answers(merge_moments),
    variants={
        name: tuple(_make_answers(merge, from_nothing) for merge in group for from_nothing in (False, True))
        for name, group in MOMENTS_VARIANTS.items()
    },
    drive=drive_moments,
)
