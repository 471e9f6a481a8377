"""Advantages within groups: GRPO and Dr. GRPO."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from weaklink.base.loop import Link
from weaklink.base.reference.groups import GROUP_VARIANTS, centred, grpo, grpo_batch_scale
from weaklink.collect.probes.kernels._groups import ARGUMENTS, answer_conventions, answer_groups, list_group_calls
from weaklink.collect.probes.kernels._kernel import Kernel

CONVENTIONS: dict[str, Callable[..., Any]] = {
    "centred": centred,
    "scaled (population)": grpo,
    "scaled (sample)": partial(grpo, sample=True),
    "scaled by the batch (population)": grpo_batch_scale,
    "scaled by the batch (sample)": partial(grpo_batch_scale, sample=True),
}

KERNEL = Kernel(
    name="group_advantages",
    what="the reward less the mean of its group, scaled (GRPO) or not (Dr. GRPO)",
    link=Link.RETURNS,
    look="how samples are put into groups, and what happens where all rewards of a group are the same",
    names=(
        "group_advantages", "grpo_advantages", "compute_grpo_advantages", "grpo_advantage", "group_relative_advantages",
        "compute_group_advantages", "compute_grpo_outcome_advantage", "dr_grpo_advantages", "group_normalize",
    ),
    arguments=ARGUMENTS,
    orders=(("rewards", "group_size"), ("rewards",)),
    layouts=("B",),
    calls=list_group_calls,
    right=answer_conventions(CONVENTIONS),
    variants={name: tuple(map(answer_groups, group)) for name, group in GROUP_VARIANTS.items()},
)  # fmt: skip
