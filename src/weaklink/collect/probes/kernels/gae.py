"""Generalised advantage estimation."""

from __future__ import annotations

import numpy as np

from weaklink.base.loop import Link
from weaklink.base.reference.advantages import GAE_VARIANTS, gae
from weaklink.base.reference.masking import normalise
from weaklink.collect.probes.kernels._forms import answer_variants, make_answers, make_scaled_forms
from weaklink.collect.probes.kernels._kernel import AnswerForm, Array, Facts, Forms, Kernel, KernelCall
from weaklink.collect.probes.kernels._trajectories import (
    FINAL_VALUES,
    FLAGS,
    GAMMA,
    GAMMAS,
    LAM,
    LAMBDAS,
    LAST_VALUE,
    NEXT_VALUES,
    REWARDS,
    VALUES,
    draw_quarters,
    list_calls_over_time,
)

INPUTS = ("rewards", "values", "terminated", "truncated", "last_value", "gamma", "lam", "following")


def make_forms(advantages: Array, facts: Facts) -> Forms:
    """Advantages, returns or both in either order; advantages normalised or not."""
    if "counts" in facts:
        return _make_token_forms(advantages, facts)
    returns = advantages + facts["values"]
    made = make_scaled_forms("advantages", advantages) | {"returns": AnswerForm((returns,))}
    for name, form in make_scaled_forms("advantages", advantages).items():
        made[f"{name} and returns"] = AnswerForm((form.arrays[0], returns), form.slack)
        made[f"returns and {name}"] = AnswerForm((returns, form.arrays[0]), form.slack)
    return made


def _make_token_forms(advantages: Array, facts: Facts) -> Forms:
    counts = facts["counts"]
    hidden = np.where(counts, advantages, np.nan)
    returns = np.where(counts, advantages + facts["values"], np.nan)
    made = {"advantages": AnswerForm((hidden,)), "advantages and returns": AnswerForm((hidden, returns))}
    for kind, sample in (("population", False), ("sample", True)):
        scaled = normalise(advantages, counts, sample=sample)
        made[f"advantages, normalised ({kind})"] = AnswerForm((scaled,), 3e-3)
        made[f"advantages, normalised ({kind}), and returns"] = AnswerForm((scaled, returns), 3e-3)
    return made


def _use_advantage_target(facts: Facts) -> Forms:
    right = make_answers(gae, INPUTS, lambda advantages, _: make_scaled_forms("advantages", advantages))(facts)
    advantages = right["advantages"].arrays[0]
    return {name: AnswerForm((form.arrays[0], advantages), form.slack) for name, form in right.items()}


def list_calls(names: frozenset[str]) -> tuple[KernelCall, ...]:
    """Functions with a token mask see finished sequences and padding; all others records of steps."""
    if not {"rewards", "values"} <= names:
        return ()
    return (
        (KernelCall("finished sequences with padding", _draw_sequences, _give_padded),)
        if "tokens" in names
        else (list_calls_over_time(names, values=True))
    )


def _draw_sequences(rng: np.random.Generator, size: float, layout: str) -> Facts:
    steps, rows = 2 + int(size * 8), 1 if layout == "T" else 2 + int(2 * size)
    lengths = rng.integers(1, steps + 1, rows)
    counts = np.arange(steps)[:, None] < lengths[None, :]
    ended = np.arange(steps)[:, None] == lengths[None, :] - 1
    values, nothing = draw_quarters(rng, (steps, rows)), np.zeros((steps, rows), dtype=bool)
    return {
        "rewards": draw_quarters(rng, (steps, rows)) * counts,
        "values": values * counts,
        "counts": counts,
        "terminated": ended | ~counts,
        "truncated": nothing,
        "last_value": np.zeros(rows),
        "following": np.concatenate([(values * counts)[1:], np.zeros((1, rows))]),
        "gamma": float(rng.choice([0.5, 0.9, 1.0])),
        "lam": float(rng.choice([0.5, 0.75, 0.95])),
    }


def _give_padded(facts: Facts) -> dict[str, object]:
    return {name: facts[name] for name in ("rewards", "values", "gamma", "lam")} | {
        "tokens": facts["counts"],
        "last_value": facts["last_value"],
        "next_values": facts["following"],
    }


KERNEL = Kernel(
    name="gae",
    what="advantages by generalised advantage estimation, with or without returns",
    link=Link.RETURNS,
    look="the masks of the bootstrap and of the recursion, and which done flag belongs to which step",
    names=(
        "gae", "compute_gae", "calculate_gae", "get_gae", "gae_advantages", "compute_advantages", "calc_gae",
        "generalized_advantage_estimation", "generalised_advantage_estimation", "generalized_advantage_estimate",
        "compute_gae_advantage_return", "gae_advantage", "compute_gae_advantages", "estimate_advantages",
    ),
    arguments=(REWARDS, VALUES, NEXT_VALUES, LAST_VALUE, FINAL_VALUES, *FLAGS, GAMMA, LAM),
    orders=(
        ("rewards", "values", "dones", "last_value", "gamma", "lam"),
        ("rewards", "values", "terminated", "truncated", "last_value", "gamma", "lam"),
        ("rewards", "values", "next_values", "terminated", "truncated", "gamma", "lam"),
        ("rewards", "values", "dones", "gamma", "lam"),
        ("rewards", "values", "gamma", "lam"),
    ),
    usual={"gamma": GAMMAS, "lam": LAMBDAS},
    calls=list_calls,
    right=make_answers(gae, INPUTS, make_forms),
    variants=answer_variants(GAE_VARIANTS, INPUTS, make_forms) | {"value target = advantage": (_use_advantage_target,)},
)  # fmt: skip
