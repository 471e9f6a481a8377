"""The entropy of a Gaussian policy."""

from __future__ import annotations

from weaklink.base.loop import Link
from weaklink.base.reference.densities import GAUSSIAN_ENTROPY_VARIANTS, gaussian_entropy
from weaklink.collect.probes.kernels._distributions import (
    LOG_STD,
    MEAN,
    STD,
    answer_dimensions,
    answer_rows,
    draw_gaussians,
)
from weaklink.collect.probes.kernels._kernel import Kernel, KernelCall

INPUTS = ("std",)


def list_calls(names: frozenset[str]) -> tuple[KernelCall, ...]:
    """Deviations or their logarithms, a row a sample."""
    if not names & {"std", "log_std"}:
        return ()
    return (KernelCall("", lambda rng, size, layout: draw_gaussians(rng, size), lambda facts: facts),)


KERNEL = Kernel(
    name="gaussian_entropy",
    what="the entropy of a diagonal Gaussian policy in nats",
    link=Link.EXPLORATION,
    look="the sign, the constant of each dimension, and std against log std",
    names=("gaussian_entropy", "normal_entropy", "diag_gaussian_entropy"),
    arguments=(STD, LOG_STD, MEAN),
    orders=(("log_std",),),
    layouts=("B",),
    calls=list_calls,
    right=answer_dimensions(gaussian_entropy, INPUTS),
    variants={
        name: tuple(answer_rows(wrong, INPUTS) for wrong in group) for name, group in GAUSSIAN_ENTROPY_VARIANTS.items()
    },
)
