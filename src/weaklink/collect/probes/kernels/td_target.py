"""One-step targets from state values."""

from __future__ import annotations

from weaklink.base.loop import Link
from weaklink.base.reference.targets import TD_VARIANTS, td_target
from weaklink.collect.probes.kernels._batches import TRANSITION_FLAGS, list_transition_calls
from weaklink.collect.probes.kernels._forms import answer_variants, make_answers
from weaklink.collect.probes.kernels._kernel import Kernel, KernelArgument, KernelCall
from weaklink.collect.probes.kernels._td import BATCH_LAYOUTS, LOOK, SHARED, make_forms
from weaklink.collect.probes.kernels._trajectories import GAMMAS, NEXT_VALUES, VALUES

INPUTS = ("rewards", "next_values", "terminated", "truncated", "gamma")
GIVEN = {name: name for name in ("rewards", "values", "next_values", "gamma")}
NEXT = KernelArgument(
    "next_values", (*NEXT_VALUES.aliases, "next_value", "next_q", "target_values", "next_q_values", "v_prime")
)


def list_calls(names: frozenset[str]) -> tuple[KernelCall, ...]:
    """Transitions with one next value each."""
    return list_transition_calls(names, frozenset({"rewards", "next_values"}), GIVEN)


KERNEL = Kernel(
    name="td_target",
    what="the reward and the discounted value of the next observation",
    link=Link.VALUE,
    look=LOOK,
    names=(
        "td_target",
        "td_targets",
        "compute_td_target",
        "td_error",
        "td_errors",
        "bellman_target",
        "compute_td_targets",
    ),
    arguments=(*SHARED, VALUES, NEXT, *TRANSITION_FLAGS),
    orders=(
        ("rewards", "next_values", "dones", "gamma"),
        ("rewards", "next_values", "terminated", "truncated", "gamma"),
    ),
    layouts=BATCH_LAYOUTS,
    usual={"gamma": GAMMAS},
    calls=list_calls,
    right=make_answers(td_target, INPUTS, make_forms),
    variants=answer_variants(TD_VARIANTS, INPUTS, make_forms)
    | {"bootstrap from s instead of s'": (make_answers(td_target, ("rewards", "values", *INPUTS[2:]), make_forms),)},
)
