"""Rewards and advantages of a batch of completions, with the prompt of each, from a TRL trainer."""

from __future__ import annotations

from typing import Any

import numpy as np

from weaklink.adapters.trl.batch import Array, SeenBatch, to_numbers
from weaklink.adapters.trl.likelihoods import find_reference_scores
from weaklink.base.evidence.rollout import CompletionGroups


def read_groups(trainer: Any, batch: SeenBatch) -> CompletionGroups | None:
    """The groups of this process; None where the trainer compares otherwise than within groups."""
    output, written = batch.output, batch.written
    if output is None or written is None or batch.rewards is None or output["advantages"].dim() != 1:
        return None
    rewards = _read_rewards(trainer, batch)
    scale = _scale(trainer)
    if rewards is None or (scale == "batch" and trainer.accelerator.num_processes > 1):
        return None
    rows = len(written.prompts)
    first = trainer.accelerator.process_index * rows
    size = int(trainer.num_generations)
    return CompletionGroups(
        rewards=rewards[first : first + rows],
        advantages=to_numbers(output["advantages"]),
        prompts=_number_groups(written.prompts, size),
        size=size,
        scale=scale,
        leave_one_out=_leaves_one_out(trainer),
    )


def _leaves_one_out(trainer: Any) -> bool:
    return any(ancestor.__name__ == "RLOOTrainer" for ancestor in type(trainer).__mro__)


def _read_rewards(trainer: Any, batch: SeenBatch) -> Array | None:
    """The rewards that are compared: weighted, summed, clipped, less the penalty where that is part of them."""
    if getattr(trainer, "multi_objective_aggregation", "sum_then_normalize") != "sum_then_normalize":
        return None
    paid = to_numbers(batch.rewards)
    total = np.where(np.isnan(paid).all(axis=1), np.nan, np.nansum(paid * to_numbers(trainer.reward_weights), axis=1))
    if not _leaves_one_out(trainer):
        return total
    bounds = getattr(trainer, "reward_clip_range", None)
    total = total if not bounds else np.clip(total, *bounds)
    if not trainer.beta:
        return total
    both = find_reference_scores(trainer, batch)
    if both is None or batch.output is None or trainer.accelerator.num_processes > 1:
        return None
    policy, other = (to_numbers(each.log_probabilities) for each in both)
    mask = to_numbers(batch.output["completion_mask"])
    return np.asarray(total - trainer.beta * ((policy - other) * mask).sum(axis=1))


def _scale(trainer: Any) -> str:
    if _leaves_one_out(trainer):
        return "batch" if trainer.normalize_advantages else "none"
    scale = trainer.scale_rewards
    if isinstance(scale, bool):
        return "group" if scale else "none"
    return str(scale) if scale in ("group", "batch", "none") else ""


def _number_groups(prompts: list[list[int]], size: int) -> Array:
    """A number for each prompt; one that stands in the batch more than once begins anew after a full group."""
    seen: dict[tuple[int, ...], int] = {}
    numbered: dict[tuple[tuple[int, ...], int], int] = {}
    rows = []
    for prompt in map(tuple, prompts):
        times = seen.get(prompt, 0)
        seen[prompt] = times + 1
        rows.append(numbered.setdefault((prompt, times // size), len(numbered)))
    return np.asarray(rows)
