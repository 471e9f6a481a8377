"""The log-probability of an action under a Gaussian policy."""

from __future__ import annotations

from weaklink.base.loop import Link
from weaklink.base.reference.densities import GAUSSIAN_LOG_PROB_VARIANTS, gaussian_log_prob
from weaklink.collect.probes.kernels._distributions import LOG_STD, MEAN, STD, by_dimension, gaussians, of_rows
from weaklink.collect.probes.kernels._kernel import Argument, Call, Kernel

INPUTS = ("actions", "mean", "std")
ACTIONS = Argument("actions", ("action", "x", "a", "act", "acts", "sample", "value"))


def calls(names: frozenset[str]) -> tuple[Call, ...]:
    """Actions with means and deviations, a row a sample."""
    if not {"actions", "mean"} <= names or not names & {"std", "log_std"}:
        return ()
    return (Call("", lambda rng, size, layout: gaussians(rng, size), lambda facts: facts),)


KERNEL = Kernel(
    name="gaussian_log_prob",
    what="the log-probability of an action under a diagonal Gaussian policy",
    link=Link.POLICY,
    look="std against log std, the sum over dimensions, and whether the action is the one that was sampled",
    names=("gaussian_log_prob", "gaussian_likelihood", "normal_log_prob", "gaussian_logprob", "diag_gaussian_log_prob"),
    arguments=(ACTIONS, MEAN, STD, LOG_STD),
    orders=(("actions", "mean", "log_std"),),
    layouts=("B",),
    calls=calls,
    right=by_dimension(gaussian_log_prob, INPUTS),
    variants={
        name: tuple(of_rows(wrong, INPUTS) for wrong in group) for name, group in GAUSSIAN_LOG_PROB_VARIANTS.items()
    },
)
