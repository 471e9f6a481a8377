"""Estimates of a KL divergence from samples: k1, k2 or k3."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from weaklink.base.loop import Link
from weaklink.base.reference.divergences import KL_ESTIMATE_VARIANTS, k1, k2, k3
from weaklink.collect.probes.kernels._batches import TOKEN_MASK, draw_shape
from weaklink.collect.probes.kernels._forms import make_reduced_forms
from weaklink.collect.probes.kernels._kernel import Answers, Facts, Forms, Kernel, KernelArgument, KernelCall
from weaklink.collect.probes.kernels._td import BATCH_LAYOUTS
from weaklink.collect.probes.kernels._trajectories import draw_quarters
from weaklink.collect.probes.kernels.ppo_policy_loss import LOG_RATIO, NEW, OLD

POLICY = KernelArgument(NEW.name, (*NEW.aliases, "log_p", "logp_pi", "policy_log_probs", "p_logp"))
REFERENCE = KernelArgument(
    "ref_log_probs",
    (
        "ref_logprobs",
        "ref_logp",
        "reference_log_probs",
        "ref_log_prob",
        "ref_per_token_logps",
        "log_q",
        "base_log_probs",
        "logp_ref",
        "reference_logprobs",
        "ref_logprob",
    ),
)


def _make_answers(estimate: Callable[..., Any]) -> Answers:
    def answer(facts: Facts) -> Forms:
        return make_reduced_forms(estimate(facts["sampled"], facts["other"]), facts["mask"])

    return answer


def _answer_right(facts: Facts) -> Forms:
    made: Forms = {}
    for name, estimate in (("k1", k1), ("k2", k2), ("k3", k3)):
        made |= {f"{name}, {form}": value for form, value in _make_answers(estimate)(facts).items()}
    return made


def list_calls(names: frozenset[str]) -> tuple[KernelCall, ...]:
    """Against a reference the samples come from the policy; against the old policy they come from the old one."""
    reference = "ref_log_probs" in names
    if not reference and "log_ratio" not in names and not {"log_probs", "old_log_probs"} <= names:
        return ()

    def draw(rng: np.random.Generator, size: float, layout: str) -> Facts:
        shape, mask = draw_shape(rng, size, "mask" in names)
        policy = -np.abs(draw_quarters(rng, shape)) - 0.5
        other = policy + rng.integers(1, 13, shape) / 16 * rng.choice([-1.0, 1.0], shape)
        pair = (policy, other) if reference else (other, policy)
        return {"log_probs": policy, "far": other, "sampled": pair[0], "other": pair[1], "mask": mask}

    def give(facts: Facts) -> dict[str, Any]:
        given = {"log_probs": facts["log_probs"], "ref_log_probs": facts["far"], "old_log_probs": facts["far"]}
        given["log_ratio"] = facts["log_probs"] - facts["far"]
        return given | ({} if facts["mask"] is None else {"mask": facts["mask"]})

    return (KernelCall("samples of the policy" if reference else "samples of the old policy", draw, give),)


KERNEL = Kernel(
    name="kl_estimate",
    what="k1, k2 or k3 from log-probabilities: KL(policy || reference), or KL(old || new)",
    link=Link.POLICY,
    look="which of both log-probabilities is subtracted from which",
    names=(
        "kl_estimate", "approx_kl", "compute_approx_kl", "kl_penalty", "k3_kl", "compute_kl", "approximate_kl",
        "token_kl", "per_token_kl", "kl_estimator", "kl_divergence_estimate", "k1", "k2", "k3",
    ),
    arguments=(POLICY, REFERENCE, OLD, LOG_RATIO, TOKEN_MASK),
    orders=(("log_probs", "ref_log_probs"), ("log_probs", "ref_log_probs", "mask")),
    layouts=BATCH_LAYOUTS,
    calls=list_calls,
    right=_answer_right,
    variants={name: tuple(map(_make_answers, group)) for name, group in KL_ESTIMATE_VARIANTS.items()},
    leading=True,
)  # fmt: skip
