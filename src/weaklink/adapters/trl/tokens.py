"""Which tokens the loss of a TRL trainer counts, and what each of them is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch

from weaklink.adapters.trl.batch import Array, PlacedCompletion, SeenBatch, WrittenTokens, place_completions, to_numbers
from weaklink.base.evidence.rollout import COMPLETION, PADDING, PROMPT, TOOL, LossTokenMask


def read_token_mask(trainer: Any, batch: SeenBatch, inputs: Mapping[str, Any], loss: Any) -> LossTokenMask | None:
    """The tokens of the first rows that a loss was made of; None where they are not those that were written."""
    written, learning = batch.written, batch.learning
    if written is None:
        return None
    if len(learning) == 1 and (gradient := _compute_gradient(loss, learning[0].log_probabilities)) is not None:
        ids, counted = learning[0].ids, to_numbers(gradient) != 0.0
    else:
        ids = torch.cat([inputs["prompt_ids"], inputs["completion_ids"]], dim=1)
        counted = _read_mask(inputs)
    places = place_completions(ids, written)
    if not places:
        return None
    width = counted.shape[1]
    rows = [place.row for place in places]
    kinds = _mark_kinds(places, written, int(ids.shape[1]))[:, -width:]
    shown = ids.detach().cpu().numpy()[rows][:, -width:]
    ends = np.isin(shown, list(_find_end_tokens(trainer))) & (kinds == COMPLETION)
    return LossTokenMask(counted=counted[rows], kinds=kinds, ends=ends)


def _compute_gradient(loss: Any, log_probabilities: Any) -> Any:
    """How the loss changes with each log-probability: what it really counts, whatever its masks are called."""
    if not (isinstance(loss, torch.Tensor) and loss.requires_grad and log_probabilities.requires_grad):
        return None
    (gradient,) = torch.autograd.grad(loss, log_probabilities, retain_graph=True, allow_unused=True)
    return None if gradient is None else torch.nan_to_num(gradient)


def _read_mask(inputs: Mapping[str, Any]) -> Array:
    mask = to_numbers(inputs["completion_mask"])
    tools = inputs.get("tool_mask")
    return np.asarray((mask if tools is None else mask * to_numbers(tools)) != 0.0)


def _mark_kinds(places: list[PlacedCompletion], written: WrittenTokens, width: int) -> Array:
    kinds = np.full((len(places), width), PADDING)
    for line, place in zip(kinds, places, strict=True):
        own = np.asarray(written.own[place.number])
        begin = place.start + len(written.prompts[place.number])
        line[place.start : begin] = PROMPT
        line[begin : begin + len(own)] = np.where(own == 0, TOOL, COMPLETION)
    return kinds


def _find_end_tokens(trainer: Any) -> set[int]:
    ends = getattr(trainer, "eos_token_ids", None)
    if ends is None:
        ends = getattr(getattr(trainer, "processing_class", None), "eos_token_id", None)
    if ends is None:
        return set()
    return {int(each) for each in (ends if isinstance(ends, list | tuple | set) else [ends])}
