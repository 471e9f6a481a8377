"""A running mean and variance that is fed batch by batch, or sample by sample."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from weaklink.adapters.torch import arrays as torch_arrays
from weaklink.base.loop import Link
from weaklink.base.reference.moments import MOMENTS_VARIANTS, Merge, merged, running
from weaklink.collect.probes.kernels._arrays import Array, Unreadable
from weaklink.collect.probes.kernels._kernel import Answers, Call, Facts, Form, Forms, Kernel
from weaklink.collect.probes.kernels._objects import field_of, made, told
from weaklink.collect.probes.kernels._trajectories import quarters

UPDATE = ("update", "push", "add", "observe", "record", "update_from_batch", "feed")
MEAN = ("mean", "running_mean", "mean_", "mu", "_mean")
VARIANCE = ("var", "variance", "running_var", "var_", "_var", "sigma2")
STD = ("std", "stddev", "running_std", "sigma", "std_")
SLACK = 5e-3
"""How far a start with a small made-up count may move the result."""


def drive(factory: object, given: Mapping[str, Any]) -> tuple[Array, Array]:
    """Feeds the batches and reads mean and variance: whole batches first, else sample by sample; numpy, else torch."""
    batches: list[Array] = given["batches"]
    singles = [row for batch in batches for row in batch]
    kinds: tuple[Callable[[Array], Any], ...] = (np.copy, lambda array: torch_arrays.tensor(array, False))
    failure: Exception | None = None
    for feed in (batches, singles) if given["whole"] else (singles,):
        for kind in kinds if torch_arrays.in_use() else kinds[:1]:
            try:
                return _fed(factory, [kind(array) for array in feed], batches[0].shape[1])
            except Exception as error:  # the other way may be the one that is meant
                failure = failure or error
    raise failure or Unreadable("it cannot be fed")


def _fed(factory: object, feed: list[Any], width: int) -> tuple[Array, Array]:
    known = {"shape": (width,), "size": width, "dim": width, "n": width, "num_inputs": width, "obs_dim": width}
    known |= {"obs_shape": (width,), "in_shape": (width,), "input_dim": width, "num_features": width}
    moments = made(factory, known)
    for array in feed:
        told(moments, UPDATE, {"x": array, "arr": array, "batch": array, "data": array}, ("x",))
    mean, variance, std = field_of(moments, MEAN), field_of(moments, VARIANCE), field_of(moments, STD)
    if mean is None or (variance is None and std is None):
        raise Unreadable("it has no mean and variance to read")
    mean, variance = np.asarray(mean), np.asarray(std**2 if variance is None and std is not None else variance)
    if mean.reshape(-1).shape != (width,) or variance.reshape(-1).shape != (width,):
        raise Unreadable("its mean or variance has not the shape of one sample")
    return mean.reshape(-1).astype(np.float64), variance.reshape(-1).astype(np.float64)


def _of(merge: Merge, from_nothing: bool = False) -> Answers:
    def answer(facts: Facts) -> Forms:
        mean, variance, count = running(facts["fed"], merge, from_nothing=from_nothing)
        sample = variance * count / max(count - 1.0, 1.0)
        return {
            "variance of a population": Form((mean, variance), SLACK),
            "variance of a sample": Form((mean, sample), SLACK),
        }

    return answer


def _draw(rng: np.random.Generator, size: float, layout: str) -> Facts:
    width = 2 + int(size * 2)
    batches = [
        quarters(rng, (int(rng.integers(3, 8)), width)) + quarters(rng, (width,)) for _ in range(2 + int(size * 4))
    ]
    return {"batches": batches, "fed": batches}


def _singly(facts: Facts) -> Facts:
    return {"batches": facts["batches"], "whole": False}


def calls(names: frozenset[str]) -> tuple[Call, ...]:
    """Batches as they come, or every row by itself."""

    def draw_singles(rng: np.random.Generator, size: float, layout: str) -> Facts:
        facts = _draw(rng, size, layout)
        return facts | {"fed": [row[None] for batch in facts["batches"] for row in batch]}

    batched = Call("batches", _draw, lambda facts: {"batches": facts["batches"], "whole": True})
    return (batched, Call("one sample at a time", draw_singles, _singly))


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
    calls=calls,
    layouts=("",),
    right=_of(merged),
    variants={
        name: tuple(_of(merge, from_nothing) for merge in group for from_nothing in (False, True))
        for name, group in MOMENTS_VARIANTS.items()
    },
    drive=drive,
)
