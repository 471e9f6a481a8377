"""Generalised advantage estimation."""

from __future__ import annotations

import numpy as np

from weaklink.base.loop import Link
from weaklink.base.reference.advantages import GAE_VARIANTS, gae
from weaklink.base.reference.masking import normalised
from weaklink.collect.probes.kernels._forms import answered, answered_all, scalings
from weaklink.collect.probes.kernels._kernel import Array, Call, Facts, Form, Forms, Kernel
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
    calls_over_time,
    quarters,
)

INPUTS = ("rewards", "values", "terminated", "truncated", "last_value", "gamma", "lam", "following")


def forms(advantages: Array, facts: Facts) -> Forms:
    """Advantages, returns or both in either order; advantages normalised or not."""
    if "counts" in facts:
        return _of_tokens(advantages, facts)
    returns = advantages + facts["values"]
    made = scalings("advantages", advantages) | {"returns": Form((returns,))}
    for name, form in scalings("advantages", advantages).items():
        made[f"{name} and returns"] = Form((form.arrays[0], returns), form.slack)
        made[f"returns and {name}"] = Form((returns, form.arrays[0]), form.slack)
    return made


def _of_tokens(advantages: Array, facts: Facts) -> Forms:
    counts = facts["counts"]
    hidden = np.where(counts, advantages, np.nan)
    returns = np.where(counts, advantages + facts["values"], np.nan)
    made = {"advantages": Form((hidden,)), "advantages and returns": Form((hidden, returns))}
    for kind, sample in (("population", False), ("sample", True)):
        scaled = normalised(advantages, counts, sample=sample)
        made[f"advantages, normalised ({kind})"] = Form((scaled,), 3e-3)
        made[f"advantages, normalised ({kind}), and returns"] = Form((scaled, returns), 3e-3)
    return made


def _target_is_advantage(facts: Facts) -> Forms:
    right = answered(gae, INPUTS, lambda advantages, _: scalings("advantages", advantages))(facts)
    advantages = right["advantages"].arrays[0]
    return {name: Form((form.arrays[0], advantages), form.slack) for name, form in right.items()}


def calls(names: frozenset[str]) -> tuple[Call, ...]:
    """Functions with a token mask see finished sequences and padding; all others records of steps."""
    if not {"rewards", "values"} <= names:
        return ()
    return (
        (Call("finished sequences with padding", _sequences, _padded),)
        if "tokens" in names
        else (calls_over_time(names, values=True))
    )


def _sequences(rng: np.random.Generator, size: float, layout: str) -> Facts:
    steps, rows = 2 + int(size * 8), 1 if layout == "T" else 2 + int(2 * size)
    lengths = rng.integers(1, steps + 1, rows)
    counts = np.arange(steps)[:, None] < lengths[None, :]
    ended = np.arange(steps)[:, None] == lengths[None, :] - 1
    values, nothing = quarters(rng, (steps, rows)), np.zeros((steps, rows), dtype=bool)
    return {
        "rewards": quarters(rng, (steps, rows)) * counts,
        "values": values * counts,
        "counts": counts,
        "terminated": ended | ~counts,
        "truncated": nothing,
        "last_value": np.zeros(rows),
        "following": np.concatenate([(values * counts)[1:], np.zeros((1, rows))]),
        "gamma": float(rng.choice([0.5, 0.9, 1.0])),
        "lam": float(rng.choice([0.5, 0.75, 0.95])),
    }


def _padded(facts: Facts) -> dict[str, object]:
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
    calls=calls,
    right=answered(gae, INPUTS, forms),
    variants=answered_all(GAE_VARIANTS, INPUTS, forms) | {"value target = advantage": (_target_is_advantage,)},
)  # fmt: skip
