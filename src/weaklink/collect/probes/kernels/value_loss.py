"""The value loss, plain or clipped as in PPO."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from weaklink.base.loop import Link
from weaklink.base.reference.losses import (
    CLIPPED_VALUE_LOSS_VARIANTS,
    VALUE_LOSS_VARIANTS,
    clipped_value_loss,
    huber,
    value_loss,
)
from weaklink.collect.probes.kernels._batches import TOKEN_MASK, draw_shape
from weaklink.collect.probes.kernels._forms import make_reduced_forms
from weaklink.collect.probes.kernels._kernel import Answers, Facts, Forms, Kernel, KernelArgument, KernelCall
from weaklink.collect.probes.kernels._td import BATCH_LAYOUTS
from weaklink.collect.probes.kernels._trajectories import draw_quarters

NEW = KernelArgument(
    "values",
    (
        "new_values",
        "newvalue",
        "new_value",
        "value_preds",
        "vpreds",
        "v",
        "value",
        "vpred",
        "state_values",
        "newvalues",
    ),
)
OLD = KernelArgument(
    "old_values",
    ("old_value", "b_values", "mb_values", "values_old", "old_vpreds", "old_v", "value_preds_old", "old_value_preds"),
)
RETURNS = KernelArgument(
    "returns",
    ("targets", "return_", "ret", "b_returns", "mb_returns", "value_targets", "target", "rets", "target_values", "r"),
)
CLIP = KernelArgument(
    "clip",
    (
        "clip_coef",
        "clip_range",
        "clip_range_vf",
        "clip_eps",
        "epsilon",
        "eps",
        "cliprange_value",
        "vf_clip",
        "clip_param",
        "value_clip",
        "clip_value",
        "vclip",
        "cliprange",
    ),
    number=True,
)
FACTORS = (1.0, 0.5)


def _answer_right(facts: Facts) -> Forms:
    if facts["clipped"]:
        return _answer_clipped(clipped_value_loss)(facts)
    smooth = make_reduced_forms(huber(facts["values"] - facts["returns"]), facts["mask"])
    plain = _answer_plain(value_loss)(facts)
    return plain | {f"{name}, Huber": form for name, form in smooth.items()}


def _answer_plain(loss: Callable[..., Any]) -> Answers:
    def answer(facts: Facts) -> Forms:
        if facts["clipped"]:
            return {}
        each = loss(facts["values"], facts["returns"])
        mask = facts["mask"] if each.shape == facts["values"].shape else None
        return make_reduced_forms(each, mask, FACTORS)

    return answer


def _answer_clipped(loss: Callable[..., Any]) -> Answers:
    def answer(facts: Facts) -> Forms:
        if not facts["clipped"]:
            return {}
        each = loss(facts["values"], facts["returns"], facts["old_values"], facts["clip"])
        return make_reduced_forms(each, facts["mask"], FACTORS)

    return answer


def list_calls(names: frozenset[str]) -> tuple[KernelCall, ...]:
    """Samples, or tokens with a mask; clipped where the old values are asked for."""
    if not {"values", "returns"} <= names:
        return ()

    def draw(rng: np.random.Generator, size: float, layout: str) -> Facts:
        shape, mask = draw_shape(rng, size, "mask" in names)
        old = draw_quarters(rng, shape)
        return {
            "values": old + rng.integers(-16, 17, shape) / 16,
            "old_values": old,
            "returns": draw_quarters(rng, shape),
            "mask": mask,
            "clip": float(rng.choice([0.125, 0.25, 0.5])),
            "clipped": "old_values" in names,
        }

    return (KernelCall("", draw, lambda facts: {name: value for name, value in facts.items() if value is not None}),)


KERNEL = Kernel(
    name="value_loss",
    what="the squared error of the critic, clipped around the old values where they are given",
    link=Link.VALUE,
    look="the shapes of values and returns, and what the clipped value is compared with",
    names=(
        "value_loss", "critic_loss", "vf_loss", "compute_value_loss", "clipped_value_loss", "value_function_loss",
        "v_loss",
    ),
    arguments=(NEW, OLD, RETURNS, CLIP, TOKEN_MASK),
    orders=(("values", "returns", "old_values", "clip"), ("values", "returns")),
    layouts=BATCH_LAYOUTS,
    usual={"clip": (0.2, 0.1, 0.3, 0.5)},
    only_with={"clip": "old_values"},
    calls=list_calls,
    right=_answer_right,
    variants={name: tuple(map(_answer_clipped, group)) for name, group in CLIPPED_VALUE_LOSS_VARIANTS.items()}
    | {name: tuple(map(_answer_plain, group)) for name, group in VALUE_LOSS_VARIANTS.items() if name != "sign flipped"}
    | {
        "sign flipped": (
            *map(_answer_clipped, CLIPPED_VALUE_LOSS_VARIANTS["sign flipped"]),
            *map(_answer_plain, VALUE_LOSS_VARIANTS["sign flipped"]),
        )
    },
    leading=True,
)  # fmt: skip
