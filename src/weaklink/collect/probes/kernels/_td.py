"""What the targets of temporal-difference learning share: their arguments and accepted forms."""

from __future__ import annotations

from weaklink.collect.probes.kernels._kernel import AnswerForm, Array, Facts, Forms, KernelArgument
from weaklink.collect.probes.kernels._trajectories import GAMMA, REWARDS

LOOK = "the done mask, the discount, and which network and which action the next value comes from"
NEXT_Q = KernelArgument(
    "next_q",
    (
        "next_q_values",
        "q_next",
        "next_qs",
        "q_values_next",
        "next_q_value",
        "target_q",
        "next_q_target",
        "next_values",
        "q_target_next",
        "target_next_q",
        "next_target_q",
        "q_next_target",
    ),
)
BATCH_LAYOUTS = ("B", "B1")
SHARED = (REWARDS, GAMMA)


def make_forms(targets: Array, facts: Facts) -> Forms:
    """Targets, or errors against the value of the observation itself."""
    made = {"targets": AnswerForm((targets,))}
    if targets.shape == facts["values"].shape:
        made["errors"] = AnswerForm((targets - facts["values"],))
    return made
