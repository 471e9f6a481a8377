"""Targets of double Q-learning."""

from __future__ import annotations

from weaklink.base.loop import Link
from weaklink.base.reference.targets import DOUBLE_Q_VARIANTS, double_q_target
from weaklink.collect.probes.kernels._batches import TRANSITION_FLAGS, list_transition_calls
from weaklink.collect.probes.kernels._forms import answer_variants, make_answers
from weaklink.collect.probes.kernels._kernel import Kernel, KernelArgument, KernelCall
from weaklink.collect.probes.kernels._td import BATCH_LAYOUTS, LOOK, SHARED, make_forms
from weaklink.collect.probes.kernels._trajectories import GAMMAS

INPUTS = ("rewards", "next_q_online", "next_q", "terminated", "truncated", "gamma")
ONLINE = KernelArgument(
    "next_q_online", ("online_next_q", "next_q", "q_next_online", "next_online_q", "online_q", "next_q_values")
)
TARGET = KernelArgument(
    "next_q_target", ("target_next_q", "q_next_target", "next_target_q", "target_q", "next_q_values_target")
)


def list_calls(names: frozenset[str]) -> tuple[KernelCall, ...]:
    """Transitions with a row of next action values of either network."""
    given = {"rewards": "rewards", "next_q_online": "next_q_online", "next_q_target": "next_q", "gamma": "gamma"}
    return list_transition_calls(names, frozenset({"rewards", "next_q_online", "next_q_target"}), given)


KERNEL = Kernel(
    name="double_q_target",
    what="the online network chooses the next action, the target network says its value",
    link=Link.VALUE,
    look=LOOK,
    names=("double_q_target", "double_dqn_target", "ddqn_target", "double_q_targets", "double_dqn_targets"),
    arguments=(*SHARED, ONLINE, TARGET, *TRANSITION_FLAGS),
    orders=(
        ("rewards", "next_q_online", "next_q_target", "dones", "gamma"),
        ("rewards", "next_q_online", "next_q_target", "terminated", "truncated", "gamma"),
    ),
    layouts=BATCH_LAYOUTS,
    usual={"gamma": GAMMAS},
    calls=list_calls,
    right=make_answers(double_q_target, INPUTS, make_forms),
    variants=answer_variants(DOUBLE_Q_VARIANTS, INPUTS, make_forms),
)
