"""Which tokens the loss of a TRL trainer counts, and what each of them is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch

from weaklink.adapters.trl.batch import Array, Batch, Placed, Written, numbers, placed
from weaklink.base.evidence.rollout import COMPLETION, PADDING, PROMPT, TOOL, TokenMask


def tokens_of(trainer: Any, batch: Batch, inputs: Mapping[str, Any], loss: Any) -> TokenMask | None:
    """The tokens of the first rows that a loss was made of; None where they are not those that were written."""
    written, learning = batch.written, batch.learning
    if written is None:
        return None
    if len(learning) == 1 and (gradient := _gradient(loss, learning[0].log_probabilities)) is not None:
        ids, counted = learning[0].ids, numbers(gradient) != 0.0
    else:
        ids = torch.cat([inputs["prompt_ids"], inputs["completion_ids"]], dim=1)
        counted = _masked(inputs)
    places = placed(ids, written)
    if not places:
        return None
    width = counted.shape[1]
    rows = [place.row for place in places]
    kinds = _kinds(places, written, int(ids.shape[1]))[:, -width:]
    shown = ids.detach().cpu().numpy()[rows][:, -width:]
    ends = np.isin(shown, list(_end_tokens(trainer))) & (kinds == COMPLETION)
    return TokenMask(counted=counted[rows], kinds=kinds, ends=ends)


def _gradient(loss: Any, log_probabilities: Any) -> Any:
    """How the loss changes with each log-probability: what it really counts, whatever its masks are called."""
    if not (isinstance(loss, torch.Tensor) and loss.requires_grad and log_probabilities.requires_grad):
        return None
    (gradient,) = torch.autograd.grad(loss, log_probabilities, retain_graph=True, allow_unused=True)
    return None if gradient is None else torch.nan_to_num(gradient)


def _masked(inputs: Mapping[str, Any]) -> Array:
    mask = numbers(inputs["completion_mask"])
    tools = inputs.get("tool_mask")
    return np.asarray((mask if tools is None else mask * numbers(tools)) != 0.0)


def _kinds(places: list[Placed], written: Written, width: int) -> Array:
    kinds = np.full((len(places), width), PADDING)
    for line, place in zip(kinds, places, strict=True):
        own = np.asarray(written.own[place.number])
        begin = place.start + len(written.prompts[place.number])
        line[place.start : begin] = PROMPT
        line[begin : begin + len(own)] = np.where(own == 0, TOOL, COMPLETION)
    return kinds


def _end_tokens(trainer: Any) -> set[int]:
    ends = getattr(trainer, "eos_token_ids", None)
    if ends is None:
        ends = getattr(getattr(trainer, "processing_class", None), "eos_token_id", None)
    if ends is None:
        return set()
    return {int(each) for each in (ends if isinstance(ends, list | tuple | set) else [ends])}
