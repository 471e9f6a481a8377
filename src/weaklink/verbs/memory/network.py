"""Plain networks of fully connected layers, as classic control trains them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from weaklink.base.errors import UsageError
from weaklink.verbs.memory.phases import WORKSPACE, MemoryPart, MemoryPhase
from weaklink.verbs.memory.plan import MemoryPlan, Optimizer, StepKernel

FP32 = 4
STATES = {Optimizer.ADAMW: 2.0, Optimizer.ADAMW_8BIT: 0.5, Optimizer.SGD: 0.0, Optimizer.MOMENTUM: 1.0}


def compute_network_phases(sizes: Sequence[int], plan: MemoryPlan) -> tuple[MemoryPhase, ...]:
    """The phases of an actor, and a critic where the plan has one, whose layers have these sizes.

    `micro_batch` rows are learnt from at a time; `rollouts` rows of observation, next observation, action and four
    numbers are kept, as a replay buffer or the rollouts of an on-policy learner on the device.
    """
    if len(sizes) < 2 or any(isinstance(size, bool) or size < 1 for size in sizes):
        raise UsageError(f"Sizes of layers must be two or more whole numbers from 1 on, not {tuple(sizes)}.")
    models = 1 + plan.critic + plan.reference
    learning = 1 + plan.critic
    parameters = sum((inputs + 1) * outputs for inputs, outputs in pairwise(sizes))
    weights = FP32 * parameters
    states = STATES.get(plan.optimizer, 1.0) * weights * learning
    rows = plan.rollouts * FP32 * (2 * sizes[0] + sizes[-1] + 4)
    resident = (
        MemoryPart("weights", float(models * weights)),
        MemoryPart("optimizer", states),
        MemoryPart("rollouts", float(rows)),
        MemoryPart("workspace", float(WORKSPACE)),
    )
    passed = plan.micro_batch * FP32 * (sizes[0] + 2 * sum(sizes[1:])) * learning
    gradients = MemoryPart("gradients", float(weights * learning))
    copies = weights * learning if plan.step_kernel is StepKernel.FOREACH and plan.optimizer is Optimizer.ADAMW else 0
    return (
        MemoryPhase("training", (*resident, MemoryPart("activations", float(passed)), gradients)),
        MemoryPhase(
            "optimizer step",
            tuple(part for part in (*resident, gradients, MemoryPart("working", float(copies))) if part.bytes),
        ),
    )
