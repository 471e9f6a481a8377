"""The log-probability of an action that a tanh has squashed."""

from __future__ import annotations

from weaklink.base.loop import Link
from weaklink.base.reference.densities import SQUASHED_LOG_PROB_VARIANTS, squashed_log_prob
from weaklink.collect.probes.kernels._distributions import (
    LOG_STD,
    MEAN,
    STD,
    answer_dimensions,
    answer_rows,
    draw_gaussians,
)
from weaklink.collect.probes.kernels._kernel import Facts, Kernel, KernelArgument, KernelCall

INPUTS = ("actions", "mean", "std")
BEFORE = KernelArgument(
    "pre_tanh",
    (
        "pre_tanh_actions",
        "pre_tanh_action",
        "u",
        "x_t",
        "raw_actions",
        "raw_action",
        "z",
        "gaussian_actions",
        "pre_action",
        "x",
        "pre_tanh_value",
        "unsquashed",
    ),
)
SQUASHED = KernelArgument(
    "actions", ("action", "a", "y_t", "squashed_actions", "squashed", "act", "acts", "tanh_actions")
)


def list_calls(names: frozenset[str]) -> tuple[KernelCall, ...]:
    """Actions before and after the tanh; where only `actions` are asked for, they may be either."""
    if "mean" not in names or not names & {"std", "log_std"} or not names & {"pre_tanh", "actions"}:
        return ()
    made = [_make_call("actions after the tanh", "squashed")]
    return tuple(made if "pre_tanh" in names else [*made, _make_call("actions before the tanh", "actions")])


def _make_call(told: str, actions: str) -> KernelCall:
    def give(facts: Facts) -> Facts:
        given = {name: facts[name] for name in ("mean", "std", "log_std")}
        return given | {"pre_tanh": facts["actions"], "actions": facts[actions]}

    return KernelCall(told, lambda rng, size, layout: draw_gaussians(rng, size), give)


KERNEL = Kernel(
    name="squashed_log_prob",
    what="the log-probability of tanh(u) where u is Gaussian",
    link=Link.POLICY,
    look="the correction of the tanh: its sign, its sum over dimensions, and where it is evaluated",
    names=("squashed_log_prob", "tanh_log_prob", "squashed_gaussian_log_prob", "tanh_normal_log_prob"),
    arguments=(BEFORE, SQUASHED, MEAN, STD, LOG_STD),
    orders=(("pre_tanh", "mean", "log_std"),),
    layouts=("B",),
    calls=list_calls,
    right=answer_dimensions(squashed_log_prob, INPUTS),
    variants={
        name: tuple(answer_rows(wrong, INPUTS) for wrong in group) for name, group in SQUASHED_LOG_PROB_VARIANTS.items()
    },
)
