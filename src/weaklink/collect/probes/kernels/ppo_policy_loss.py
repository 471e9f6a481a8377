"""The clipped policy loss of PPO."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from weaklink.base.loop import Link
from weaklink.base.reference.losses import POLICY_LOSS_VARIANTS, ppo_policy_loss
from weaklink.collect.probes.kernels._batches import TOKEN_MASK, draw_shape
from weaklink.collect.probes.kernels._forms import make_reduced_forms, whiten
from weaklink.collect.probes.kernels._kernel import (
    AnswerForm,
    Answers,
    Facts,
    Forms,
    Kernel,
    KernelArgument,
    KernelCall,
)
from weaklink.collect.probes.kernels._td import BATCH_LAYOUTS
from weaklink.collect.probes.kernels._trajectories import draw_quarters

NEW = KernelArgument(
    "log_probs",
    (
        "new_log_probs",
        "logp",
        "new_logprob",
        "newlogprob",
        "logprobs",
        "log_prob",
        "new_logp",
        "logprob",
        "logp_new",
        "new_logprobs",
        "per_token_logps",
        "curr_log_probs",
        "log_pi",
        "current_log_probs",
        "newlogp",
        "new_log_prob",
    ),
)
OLD = KernelArgument(
    "old_log_probs",
    (
        "old_logp",
        "logp_old",
        "old_logprobs",
        "old_log_prob",
        "b_logprobs",
        "mb_logprobs",
        "old_logprob",
        "oldlogprob",
        "old_per_token_logps",
        "log_probs_old",
        "oldlogp",
        "logprobs_old",
        "old_neglogp",
        "behavior_log_probs",
    ),
)
RATIO = KernelArgument("ratio", ("ratios", "prob_ratio", "rho", "importance_ratio"))
LOG_RATIO = KernelArgument("log_ratio", ("logratio", "log_ratios", "logratios"))
ADVANTAGES = KernelArgument(
    "advantages", ("adv", "advantage", "advs", "mb_advantages", "b_advantages", "gae", "a", "adv_targ")
)
CLIP = KernelArgument(
    "clip",
    (
        "clip_coef",
        "clip_range",
        "clip_eps",
        "epsilon",
        "eps",
        "clip_ratio",
        "cliprange",
        "clip_param",
        "clip_epsilon",
        "eps_clip",
        "ppo_clip",
    ),
    number=True,
)
LOW = KernelArgument(
    "clip_low", ("clip_ratio_low", "eps_low", "epsilon_low", "cliprange_low"), number=True, implies=("clip",)
)
HIGH = KernelArgument(
    "clip_high", ("clip_ratio_high", "eps_high", "epsilon_high", "cliprange_high"), number=True, implies=("clip",)
)


def make_loss_answers(loss: Callable[..., Any]) -> Answers:
    """Every reduction of a loss, with advantages as they are or normalised inside."""

    def answer(facts: Facts) -> Forms:
        low, high = facts.get("clip_low", facts["clip"]), facts.get("clip_high", facts["clip"])
        policies = facts["log_probs"], facts["old_log_probs"]
        made = dict(make_reduced_forms(loss(*policies, facts["advantages"], low, high), facts["mask"]))
        for kind, ddof in (("population", 0), ("sample", 1)):
            scaled = loss(*policies, whiten(facts["advantages"], ddof), low, high)
            for name, form in make_reduced_forms(scaled, facts["mask"]).items():
                made[f"{name}, advantages normalised ({kind})"] = AnswerForm(form.arrays, 3e-3)
        return made

    return answer


def list_calls(names: frozenset[str]) -> tuple[KernelCall, ...]:
    """Samples, or tokens with a mask."""
    policies = {"log_probs", "old_log_probs"} <= names or names & {"ratio", "log_ratio"}
    if "advantages" not in names or not policies:
        return ()

    def draw(rng: np.random.Generator, size: float, layout: str) -> Facts:
        shape, mask = draw_shape(rng, size, "mask" in names)
        old = -np.abs(draw_quarters(rng, shape)) - 0.5
        change = rng.integers(-14, 15, shape) / 16
        facts = {
            "log_probs": old + change,
            "old_log_probs": old,
            "ratio": np.exp(change),
            "log_ratio": change,
            "advantages": draw_quarters(rng, shape),
            "mask": mask,
            "clip": float(rng.choice([0.125, 0.2, 0.25])),
        }
        if names & {"clip_low", "clip_high"}:
            facts |= {"clip_low": 0.2, "clip_high": float(rng.choice([0.2, 0.3]))}
        return facts

    return (KernelCall("", draw, lambda facts: {name: value for name, value in facts.items() if value is not None}),)


KERNEL = Kernel(
    name="ppo_policy_loss",
    what="the clipped surrogate of PPO as a loss",
    link=Link.POLICY,
    look="the ratio (new over old), the minimum of both terms, and the sign",
    names=(
        "ppo_policy_loss", "policy_loss", "ppo_loss", "pg_loss", "clipped_surrogate", "ppo_clip_loss", "actor_loss",
        "compute_policy_loss", "surrogate_loss", "clipped_policy_loss", "ppo_objective", "surrogate_objective",
    ),
    arguments=(NEW, OLD, RATIO, LOG_RATIO, ADVANTAGES, CLIP, LOW, HIGH, TOKEN_MASK),
    orders=(("log_probs", "old_log_probs", "advantages", "clip"), ("log_probs", "old_log_probs", "advantages")),
    layouts=BATCH_LAYOUTS,
    usual={"clip": (0.2, 0.1, 0.3, 0.25)},
    calls=list_calls,
    right=make_loss_answers(ppo_policy_loss),
    variants={name: tuple(map(make_loss_answers, group)) for name, group in POLICY_LOSS_VARIANTS.items()},
    leading=True,
    maximised=("objective", "clipped_surrogate", "gain"),
)  # fmt: skip
