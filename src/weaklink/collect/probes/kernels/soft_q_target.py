"""Targets of soft actor-critic."""

from __future__ import annotations

from weaklink.base.loop import Link
from weaklink.base.reference.targets import SOFT_Q_VARIANTS, soft_q_target
from weaklink.collect.probes.kernels._batches import TRANSITION_FLAGS, list_transition_calls
from weaklink.collect.probes.kernels._forms import answer_variants, make_answers
from weaklink.collect.probes.kernels._kernel import Kernel, KernelArgument, KernelCall
from weaklink.collect.probes.kernels._td import BATCH_LAYOUTS, LOOK, SHARED, make_forms
from weaklink.collect.probes.kernels._trajectories import GAMMAS

INPUTS = ("rewards", "first", "second", "next_log_probs", "terminated", "truncated", "gamma", "alpha")
FIRST = KernelArgument(
    "next_q1", ("q1_next", "q1", "next_q_1", "qf1_next_target", "target_q1", "q1_target", "q1_next_target")
)
SECOND = KernelArgument(
    "next_q2", ("q2_next", "q2", "next_q_2", "qf2_next_target", "target_q2", "q2_target", "q2_next_target")
)
LOG_PROBS = KernelArgument(
    "next_log_probs",
    ("next_log_prob", "next_logp", "next_log_pi", "log_probs", "log_prob", "next_state_log_pi", "logp_next", "log_pi"),
)
ALPHA = KernelArgument("alpha", ("temperature", "ent_coef", "entropy_coef", "temp"), number=True)


def list_calls(names: frozenset[str]) -> tuple[KernelCall, ...]:
    """Transitions with the next value of both critics and the log-probability of the next action."""
    given = {"next_q1": "first", "next_q2": "second"}
    given |= {name: name for name in ("rewards", "next_log_probs", "gamma", "alpha")}
    return list_transition_calls(names, frozenset({"rewards", "next_q1", "next_q2", "next_log_probs"}), given)


KERNEL = Kernel(
    name="soft_q_target",
    what="the smaller next value of two critics and the entropy bonus of the next action",
    link=Link.VALUE,
    look=LOOK,
    names=("soft_q_target", "sac_target", "soft_target", "sac_q_target", "soft_q_targets", "compute_sac_target"),
    arguments=(*SHARED, FIRST, SECOND, LOG_PROBS, ALPHA, *TRANSITION_FLAGS),
    orders=(
        ("rewards", "next_q1", "next_q2", "next_log_probs", "dones", "gamma", "alpha"),
        ("rewards", "next_q1", "next_q2", "next_log_probs", "terminated", "truncated", "gamma", "alpha"),
    ),
    layouts=BATCH_LAYOUTS,
    usual={"gamma": GAMMAS, "alpha": (0.2, 0.1, 1.0, 0.05)},
    calls=list_calls,
    right=make_answers(soft_q_target, INPUTS, make_forms),
    variants=answer_variants(SOFT_Q_VARIANTS, INPUTS, make_forms),
)
