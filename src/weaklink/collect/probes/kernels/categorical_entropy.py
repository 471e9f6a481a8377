"""The entropy of a categorical policy."""

from __future__ import annotations

from typing import Any

import numpy as np

from weaklink.base.loop import Link
from weaklink.base.reference.densities import CATEGORICAL_ENTROPY_VARIANTS, categorical_entropy
from weaklink.collect.probes.kernels._distributions import FORMS_OF_ONE, answer_rows, convert_logits, draw_logits
from weaklink.collect.probes.kernels._kernel import Facts, Kernel, KernelArgument, KernelCall

INPUTS = ("table",)
ARGUMENTS = (
    KernelArgument("logits", ("action_logits", "policy_logits")),
    KernelArgument("probs", ("probabilities", "prob", "action_probs")),
    KernelArgument("log_probs", ("logprobs", "log_prob", "logp", "log_probabilities")),
    KernelArgument("p", ("distribution", "pi", "x")),
)


def list_calls(names: frozenset[str]) -> tuple[KernelCall, ...]:
    """Rows of logits, probabilities or log-probabilities, as the parameter is called; `p` may be any."""
    made = [_make_call(how, how, told) for how, told in FORMS_OF_ONE if how in names]
    return tuple(made or [_make_call("p", how, told) for how, told in FORMS_OF_ONE if "p" in names])


def _make_call(name: str, how: str, told: str) -> KernelCall:
    def draw(rng: np.random.Generator, size: float, layout: str) -> Facts:
        return {"table": draw_logits(rng, size)}

    def give(facts: Facts) -> dict[str, Any]:
        return {name: convert_logits(facts["table"], how)}

    return KernelCall(told, draw, give)


KERNEL = Kernel(
    name="categorical_entropy",
    what="the entropy of a categorical policy in nats",
    link=Link.EXPLORATION,
    look="the sign, the sum over actions, and whether logits are normalised",
    names=("categorical_entropy", "entropy", "policy_entropy", "entropy_from_logits", "compute_entropy"),
    arguments=ARGUMENTS,
    orders=(("p",),),
    layouts=("B",),
    calls=list_calls,
    right=answer_rows(categorical_entropy, INPUTS),
    variants={
        name: tuple(answer_rows(wrong, INPUTS) for wrong in group)
        for name, group in CATEGORICAL_ENTROPY_VARIANTS.items()
    },
)
