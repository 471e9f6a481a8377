"""Distributions of policies: how they are drawn, and the parameters in which functions want them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from weaklink.base.reference.divergences import log_softmax
from weaklink.collect.probes.kernels._forms import make_reduced_forms
from weaklink.collect.probes.kernels._kernel import AnswerForm, Answers, Array, Facts, Forms, KernelArgument
from weaklink.collect.probes.kernels._trajectories import draw_quarters

MEAN = KernelArgument("mean", ("mu", "loc", "means", "action_mean"))
STD = KernelArgument("std", ("sigma", "scale", "stds", "action_std", "stddev"))
LOG_STD = KernelArgument("log_std", ("logstd", "log_sigma", "log_stds", "action_logstd", "log_scale"))
ANY, LOGITS, PROBS, LOG_PROBS = "", "logits", "probs", "log_probs"
FORMS_OF_ONE = ((LOGITS, "logits"), (PROBS, "probabilities"), (LOG_PROBS, "log-probabilities"))

SMALL_CONSTANT = 1e-3
"""How far a small constant inside a logarithm may move a result."""


def draw_logits(rng: np.random.Generator, size: float) -> Array:
    """Logits of a few actions, a row each, that are no log-probabilities."""
    count, actions = 1 + int(size * 6), 2 + int(size * 3)
    logits = draw_quarters(rng, (count, actions))
    logits[:, 0] += 0.75
    return logits


def convert_logits(logits: Array, how: str) -> Array:
    """The same distribution as logits, as log-probabilities or as probabilities."""
    logs = log_softmax(logits)
    return {LOGITS: logits, LOG_PROBS: logs, PROBS: np.exp(logs)}[how]


def draw_gaussians(rng: np.random.Generator, size: float) -> Facts:
    """Means, deviations and actions, a row a sample."""
    shape = 1 + int(size * 6), 1 + int(rng.integers(0, 3))
    mean, std = draw_quarters(rng, shape) / 2, rng.choice([0.5, 0.75, 1.25, 1.5], shape)
    actions = np.clip(mean + std * rng.integers(-8, 9, shape) / 4, -2.25, 2.25)
    return {"mean": mean, "std": std, "log_std": np.log(std), "actions": actions, "squashed": np.tanh(actions)}


def answer_rows(compute: Callable[..., Any], inputs: tuple[str, ...]) -> Answers:
    """One number a row, their mean or their sum."""

    def answer(facts: Facts) -> Forms:
        made = make_reduced_forms(np.asarray(compute(*(facts[name] for name in inputs))))
        return {name: AnswerForm(form.arrays, SMALL_CONSTANT) for name, form in made.items()}

    return answer


def answer_dimensions(compute: Callable[..., Any], inputs: tuple[str, ...]) -> Answers:
    """One number a row, and one a dimension of each row."""
    rows = answer_rows(compute, inputs)

    def answer(facts: Facts) -> Forms:
        each = np.asarray(compute(*(facts[name][..., None] for name in inputs)))
        return rows(facts) | {"each dimension": AnswerForm((each,), SMALL_CONSTANT)}

    return answer
