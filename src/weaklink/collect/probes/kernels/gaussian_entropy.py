"""The entropy of a Gaussian policy."""

from __future__ import annotations

from weaklink.base.loop import Link
from weaklink.base.reference.densities import GAUSSIAN_ENTROPY_VARIANTS, gaussian_entropy
from weaklink.collect.probes.kernels._distributions import LOG_STD, MEAN, STD, by_dimension, gaussians, of_rows
from weaklink.collect.probes.kernels._kernel import Call, Kernel

INPUTS = ("std",)


def calls(names: frozenset[str]) -> tuple[Call, ...]:
    """Deviations or their logarithms, a row a sample."""
    if not names & {"std", "log_std"}:
        return ()
    return (Call("", lambda rng, size, layout: gaussians(rng, size), lambda facts: facts),)


KERNEL = Kernel(
    name="gaussian_entropy",
    what="the entropy of a diagonal Gaussian policy in nats",
    link=Link.EXPLORATION,
    look="the sign, the constant of each dimension, and std against log std",
    names=("gaussian_entropy", "normal_entropy", "diag_gaussian_entropy"),
    arguments=(STD, LOG_STD, MEAN),
    orders=(("log_std",),),
    layouts=("B",),
    calls=calls,
    right=by_dimension(gaussian_entropy, INPUTS),
    variants={
        name: tuple(of_rows(wrong, INPUTS) for wrong in group) for name, group in GAUSSIAN_ENTROPY_VARIANTS.items()
    },
)
