"""The entropy of a categorical policy."""

from __future__ import annotations

from typing import Any

import numpy as np

from weaklink.base.loop import Link
from weaklink.base.reference.densities import CATEGORICAL_ENTROPY_VARIANTS, categorical_entropy
from weaklink.collect.probes.kernels._distributions import FORMS_OF_ONE, of_rows, table, written
from weaklink.collect.probes.kernels._kernel import Argument, Call, Facts, Kernel

INPUTS = ("table",)
ARGUMENTS = (
    Argument("logits", ("action_logits", "policy_logits")),
    Argument("probs", ("probabilities", "prob", "action_probs")),
    Argument("log_probs", ("logprobs", "log_prob", "logp", "log_probabilities")),
    Argument("p", ("distribution", "pi", "x")),
)


def calls(names: frozenset[str]) -> tuple[Call, ...]:
    """Rows of logits, probabilities or log-probabilities, as the parameter is called; `p` may be any."""
    made = [_call(how, how, told) for how, told in FORMS_OF_ONE if how in names]
    return tuple(made or [_call("p", how, told) for how, told in FORMS_OF_ONE if "p" in names])


def _call(name: str, how: str, told: str) -> Call:
    def draw(rng: np.random.Generator, size: float, layout: str) -> Facts:
        return {"table": table(rng, size)}

    def give(facts: Facts) -> dict[str, Any]:
        return {name: written(facts["table"], how)}

    return Call(told, draw, give)


KERNEL = Kernel(
    name="categorical_entropy",
    what="the entropy of a categorical policy in nats",
    link=Link.EXPLORATION,
    look="the sign, the sum over actions, and whether logits are normalised",
    names=("categorical_entropy", "entropy", "policy_entropy", "entropy_from_logits", "compute_entropy"),
    arguments=ARGUMENTS,
    orders=(("p",),),
    layouts=("B",),
    calls=calls,
    right=of_rows(categorical_entropy, INPUTS),
    variants={
        name: tuple(of_rows(wrong, INPUTS) for wrong in group) for name, group in CATEGORICAL_ENTROPY_VARIANTS.items()
    },
)
