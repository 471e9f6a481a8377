"""Targets of Q-learning."""

from __future__ import annotations

from weaklink.base.loop import Link
from weaklink.base.reference.targets import Q_VARIANTS, q_target
from weaklink.collect.probes.kernels._batches import TRANSITION_FLAGS, transition_calls
from weaklink.collect.probes.kernels._forms import answered, answered_all
from weaklink.collect.probes.kernels._kernel import Call, Kernel
from weaklink.collect.probes.kernels._td import BATCH_LAYOUTS, LOOK, NEXT_Q, SHARED, forms
from weaklink.collect.probes.kernels._trajectories import GAMMAS

INPUTS = ("rewards", "next_q", "terminated", "truncated", "gamma")


def calls(names: frozenset[str]) -> tuple[Call, ...]:
    """Transitions with a row of next action values each."""
    given = {name: name for name in ("rewards", "next_q", "gamma")}
    return transition_calls(names, frozenset({"rewards", "next_q"}), given)


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
    calls=calls,
    right=answered(q_target, INPUTS, forms),
    variants=answered_all(Q_VARIANTS, INPUTS, forms),
)
