"""Targets of Q-learning."""

from __future__ import annotations

from weaklink.base.loop import Link
from weaklink.base.reference.targets import Q_VARIANTS, q_target
from weaklink.collect.probes.kernels._batches import TRANSITION_FLAGS, list_transition_calls
from weaklink.collect.probes.kernels._forms import answer_variants, make_answers
from weaklink.collect.probes.kernels._kernel import Kernel, KernelCall
from weaklink.collect.probes.kernels._td import BATCH_LAYOUTS, LOOK, NEXT_Q, SHARED, make_forms
from weaklink.collect.probes.kernels._trajectories import GAMMAS

INPUTS = ("rewards", "next_q", "terminated", "truncated", "gamma")


def list_calls(names: frozenset[str]) -> tuple[KernelCall, ...]:
    """Transitions with a row of next action values each."""
    given = {name: name for name in ("rewards", "next_q", "gamma")}
    return list_transition_calls(names, frozenset({"rewards", "next_q"}), given)


KERNEL = Kernel(
    name="q_target",
    what="the reward and the discounted value of the best next action",
    link=Link.VALUE,
    look=LOOK,
    names=("q_target", "q_targets", "dqn_target", "dqn_targets", "compute_q_target", "q_learning_target"),
    arguments=(*SHARED, NEXT_Q, *TRANSITION_FLAGS),
    orders=(("rewards", "next_q", "dones", "gamma"), ("rewards", "next_q", "terminated", "truncated", "gamma")),
    layouts=BATCH_LAYOUTS,
    usual={"gamma": GAMMAS},
    calls=list_calls,
    right=make_answers(q_target, INPUTS, make_forms),
    variants=answer_variants(Q_VARIANTS, INPUTS, make_forms),
)
