"""V-trace targets and advantages."""

from __future__ import annotations

import numpy as np

from weaklink.base.loop import Link
from weaklink.base.reference.multistep import VTRACE_VARIANTS, vtrace
from weaklink.collect.probes.kernels._forms import answer_variants, make_answers
from weaklink.collect.probes.kernels._kernel import AnswerForm, Array, Facts, Forms, Kernel, KernelArgument, KernelCall
from weaklink.collect.probes.kernels._trajectories import (
    FLAGS,
    GAMMA,
    GAMMAS,
    LAM,
    LAST_VALUE,
    NEXT_VALUES,
    REWARDS,
    VALUES,
    draw_quarters,
    list_calls_over_time,
)

INPUTS = (
    "rhos", "rewards", "values", "following", "terminated", "truncated", "gamma", "rho_clip", "c_clip", "lam",
)  # fmt: skip
LOG_RHOS = KernelArgument("log_rhos", ("log_ratios", "log_ratio", "log_rho", "log_is", "log_importance_weights"))
RHOS = KernelArgument("rhos", ("ratios", "ratio", "rho", "importance_weights", "is_weights", "importance_ratios"))
TARGET = KernelArgument(
    "target_log_probs", ("log_pi", "target_logp", "log_probs", "logp", "target_log_prob", "new_log_probs")
)
BEHAVIOUR = KernelArgument(
    "behaviour_log_probs",
    (
        "behavior_log_probs",
        "log_mu",
        "behaviour_logp",
        "behavior_logp",
        "old_log_probs",
        "behavior_log_prob",
        "mu_logp",
    ),
)
RHO_CLIP = KernelArgument(
    "rho_clip", ("clip_rho_threshold", "rho_bar", "clip_rho", "rho_thresh", "rho_max", "rhobar"), number=True
)
C_CLIP = KernelArgument("c_clip", ("clip_c_threshold", "c_bar", "clip_c", "c_thresh", "c_max", "cbar"), number=True)
POLICY_CLIP = KernelArgument(
    "policy_clip", ("clip_pg_rho_threshold", "clip_pg_rho", "pg_rho_clip", "pg_rho_thresh"), number=True
)


def make_forms(answer: tuple[Array, Array], facts: Facts) -> Forms:
    """Targets, advantages or both in either order."""
    targets, advantages = answer
    return {
        "targets": AnswerForm((targets,)),
        "targets and advantages": AnswerForm((targets, advantages)),
        "advantages and targets": AnswerForm((advantages, targets)),
        "advantages": AnswerForm((advantages,)),
    }


def _list_weights(names: frozenset[str]) -> tuple[str, ...]:
    return tuple(sorted(names & {"rhos", "log_rhos", "target_log_probs", "behaviour_log_probs"}))


def list_calls(names: frozenset[str]) -> tuple[KernelCall, ...]:
    """Records of steps with the log-probabilities of two policies."""
    weights = _list_weights(names)
    if not {"rewards", "values"} <= names or not weights:
        return ()
    clips = tuple(sorted(names & {"rho_clip", "c_clip", "policy_clip"}))

    def more(rng: np.random.Generator, facts: Facts) -> Facts:
        behaviour = -np.abs(draw_quarters(rng, facts["rewards"].shape))
        ratios = np.exp(draw_quarters(rng, facts["rewards"].shape) / 2)
        rho_clip = float(rng.choice([1.0, 1.5])) if "rho_clip" in names else 1.0
        c_clip = float(rng.choice([0.75, 1.0, 1.25])) if "c_clip" in names else 1.0
        return facts | {
            "rhos": ratios,
            "log_rhos": np.log(ratios),
            "behaviour_log_probs": behaviour,
            "target_log_probs": behaviour + np.log(ratios),
            "rho_clip": rho_clip,
            "c_clip": c_clip,
            "policy_clip": rho_clip,
            "lam": facts["lam"] if "lam" in names else 1.0,
            "also": (*weights, *clips),
        }

    return list_calls_over_time(names, values=True, more=more)


KERNEL = Kernel(
    name="vtrace",
    what="V-trace targets and policy-gradient advantages",
    link=Link.RETURNS,
    look="which policy is divided by which, where rho and c are clipped, and the masks",
    names=("vtrace", "v_trace", "compute_vtrace", "vtrace_targets", "from_importance_weights", "compute_v_trace"),
    arguments=(
        LOG_RHOS, RHOS, TARGET, BEHAVIOUR, REWARDS, VALUES, NEXT_VALUES, LAST_VALUE, *FLAGS, GAMMA, RHO_CLIP, C_CLIP,
        POLICY_CLIP, LAM,
    ),
    orders=(
        ("log_rhos", "rewards", "values", "last_value", "dones", "gamma"),
        ("log_rhos", "discounts", "rewards", "values", "last_value"),
        ("behaviour_log_probs", "target_log_probs", "rewards", "values", "last_value", "dones", "gamma"),
    ),
    usual={"gamma": GAMMAS},
    calls=list_calls,
    right=make_answers(vtrace, INPUTS, make_forms),
    variants=answer_variants(VTRACE_VARIANTS, INPUTS, make_forms),
)  # fmt: skip
