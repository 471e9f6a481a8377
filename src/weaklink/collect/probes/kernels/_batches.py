"""Batches of transitions and of samples: how they are drawn, and the conventions in which functions want them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from weaklink.collect.probes.kernels._kernel import Array, Facts, KernelArgument, KernelCall
from weaklink.collect.probes.kernels._trajectories import DONES, MASKS, TERMINATED, TRUNCATED, draw_quarters

TRANSITION_FLAGS = (TERMINATED, TRUNCATED, DONES, MASKS)
ACTIONS = 3
"""How many actions tables of action values have."""

TOKEN_MASK = KernelArgument(
    "mask",
    ("masks", "response_mask", "completion_mask", "action_mask", "loss_mask", "attention_mask", "padding_mask", "m"),
)


def draw_row_count(rng: np.random.Generator, size: float) -> int:
    """How many rows a batch of this size has."""
    return 1 + int(size * 10) + int(rng.integers(0, 2))


def draw_transitions(rng: np.random.Generator, size: float, truncations: bool) -> Facts:
    """Transitions with everything that some target asks for."""
    count = draw_row_count(rng, size)
    terminated = rng.random(count) < rng.choice([0.0, 0.3, 0.6, 1.0])
    truncated = (rng.random(count) < 0.4) & ~terminated & truncations
    return {
        "rewards": draw_quarters(rng, (count,)),
        "values": draw_quarters(rng, (count,)),
        "next_values": draw_quarters(rng, (count,)),
        "next_q": draw_quarters(rng, (count, ACTIONS)) + rng.integers(0, 3, (count, ACTIONS)) / 16,
        "next_q_online": draw_quarters(rng, (count, ACTIONS)) + np.arange(ACTIONS) / 16,
        "first": draw_quarters(rng, (count,)),
        "second": draw_quarters(rng, (count,)),
        "next_log_probs": -np.abs(draw_quarters(rng, (count,))) - 0.5,
        "terminated": terminated,
        "truncated": truncated,
        "gamma": float(rng.choice([0.5, 0.75, 0.9])),
        "alpha": float(rng.choice([0.25, 0.5])),
    }


def list_transition_calls(
    names: frozenset[str], needed: frozenset[str], given: Mapping[str, str]
) -> tuple[KernelCall, ...]:
    """The readings of a target's flags; `given` maps arguments to facts."""
    if not needed <= names:
        return ()

    def call(told: str, truncations: bool, flags: Callable[[Facts], Mapping[str, Any]]) -> KernelCall:
        return KernelCall(
            told,
            lambda rng, size, layout: _settle_ends(draw_transitions(rng, size, truncations), names),
            lambda facts: {**{name: facts[key] for name, key in given.items()}, **flags(facts)},
        )

    if {"dones", "truncated"} <= names and "terminated" not in names:
        return (
            call("dones at every end", True, _give_every_flag),
            call("dones at terminations", True, _give_terminations),
        )
    both = len(names & {"terminated", "truncated", "dones"}) > 1
    return (call("terminated and truncated" if both else "", both, _give_every_flag if both else _give_terminations),)


def _settle_ends(facts: Facts, names: frozenset[str]) -> Facts:
    """Without any flag among the arguments, nothing ends."""
    if names & {"terminated", "dones", "masks"}:
        return facts
    return facts | {"terminated": np.zeros_like(facts["terminated"])}


def _give_every_flag(facts: Facts) -> dict[str, Any]:
    ended = facts["terminated"] | facts["truncated"]
    return {"terminated": facts["terminated"], "truncated": facts["truncated"], "dones": ended, "masks": 1.0 - ended}


def _give_terminations(facts: Facts) -> dict[str, Any]:
    over = facts["terminated"]
    return {"terminated": over, "truncated": facts["truncated"], "dones": over, "masks": 1.0 - over}


def draw_token_mask(rng: np.random.Generator, size: float) -> Array:
    """A mask of sequences: some entries count, then padding; the first entry of each always counts."""
    count, length = 1 + int(size * 4) + int(rng.integers(0, 2)), 2 + int(size * 6)
    return np.arange(length)[None, :] < rng.integers(1, length + 1, count)[:, None]


def draw_shape(rng: np.random.Generator, size: float, masked: bool) -> tuple[tuple[int, ...], Array | None]:
    """The shape of a batch of samples, and its mask where the function takes one."""
    if not masked:
        return (draw_row_count(rng, size),), None
    mask = draw_token_mask(rng, size)
    return mask.shape, mask
