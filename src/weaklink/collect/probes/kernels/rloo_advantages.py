"""Leave-one-out advantages within groups: RLOO."""

from __future__ import annotations

from weaklink.base.loop import Link
from weaklink.base.reference.groups import RLOO_VARIANTS, rloo
from weaklink.collect.probes.kernels._groups import ARGUMENTS, answer_groups, list_group_calls
from weaklink.collect.probes.kernels._kernel import Kernel

KERNEL = Kernel(
    name="rloo_advantages",
    what="the reward less the mean reward of the others of its group",
    link=Link.RETURNS,
    look="whether a sample is part of its own baseline, and how samples are put into groups",
    names=("rloo_advantages", "rloo", "compute_rloo_advantages", "leave_one_out", "rloo_advantage", "loo_advantages"),
    arguments=ARGUMENTS,
    orders=(("rewards", "group_size"), ("rewards",)),
    layouts=("B",),
    calls=list_group_calls,
    right=answer_groups(rloo, slack=1e-4),
    variants={
        name: tuple(answer_groups(wrong, slack=1e-4) for wrong in group) for name, group in RLOO_VARIANTS.items()
    },
)
