"""The log-probability of an action under a Gaussian policy."""

from __future__ import annotations

from weaklink.base.loop import Link
from weaklink.base.reference.densities import GAUSSIAN_LOG_PROB_VARIANTS, gaussian_log_prob
from weaklink.collect.probes.kernels._distributions import (
    LOG_STD,
    MEAN,
    STD,
    answer_dimensions,
    answer_rows,
    draw_gaussians,
)
from weaklink.collect.probes.kernels._kernel import Kernel, KernelArgument, KernelCall

INPUTS = ("actions", "mean", "std")
ACTIONS = KernelArgument("actions", ("action", "x", "a", "act", "acts", "sample", "value"))


def list_calls(names: frozenset[str]) -> tuple[KernelCall, ...]:
    """Actions with means and deviations, a row a sample."""
    if not {"actions", "mean"} <= names or not names & {"std", "log_std"}:
        return ()
    return (KernelCall("", lambda rng, size, layout: draw_gaussians(rng, size), lambda facts: facts),)


KERNEL = Kernel(
    name="gaussian_log_prob",
    what="the log-probability of an action under a diagonal Gaussian policy",
    link=Link.POLICY,
    look="std against log std, the sum over dimensions, and whether the action is the one that was sampled",
    names=("gaussian_log_prob", "gaussian_likelihood", "normal_log_prob", "gaussian_logprob", "diag_gaussian_log_prob"),
    arguments=(ACTIONS, MEAN, STD, LOG_STD),
    orders=(("actions", "mean", "log_std"),),
    layouts=("B",),
    calls=list_calls,
    right=answer_dimensions(gaussian_log_prob, INPUTS),
    variants={
        name: tuple(answer_rows(wrong, INPUTS) for wrong in group) for name, group in GAUSSIAN_LOG_PROB_VARIANTS.items()
    },
)
