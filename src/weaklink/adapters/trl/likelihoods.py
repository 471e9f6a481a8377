"""Log-probabilities of one batch by a TRL trainer, by its model asked plainly, and by its reference model."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from weaklink.adapters.torch.watch import leave_undisturbed
from weaklink.adapters.trl.batch import (
    Array,
    PlacedCompletion,
    ScoredTokens,
    SeenBatch,
    WrittenTokens,
    place_completions,
    to_numbers,
)
from weaklink.base.evidence.rollout import Probabilities, ReferenceKl, SamplerLogProbs
from weaklink.base.reference.divergences import k3

MOST_COMPARED = 3
"""So many rows are given to the model once more."""

MOST_TOKENS = 64
"""So many tokens of a row get their logits in full: a vocabulary is wide."""

SHARDED = ("FSDP", "DEEPSPEED", "MEGATRON")
"""Ways to spread a model over processes, where one process alone cannot ask it."""

NEUTRAL = {"top_p": (None, 1.0), "top_k": (None, 0, -1), "min_p": (None, 0.0), "repetition_penalty": (None, 1.0)}
"""Settings with which tokens are drawn from the whole softmax."""


@dataclass(frozen=True)
class RescoredRows:
    """A few rows, scored again: which ones, by the plain model with and without temperature, and the noise of both."""

    rows: list[int]
    trained: Array
    sampled: Array
    untempered: Array
    mask: Array
    noise: float
    largest_noise: float
    rounding: float
    divergence: float

    @property
    def floor(self) -> float:
        """How far log-probabilities lie apart for no reason but rounding and dropout, in the mean."""
        return max(self.noise, self.rounding)


def whole(trainer: Any) -> bool:
    """Whether this process holds all weights."""
    sort = str(getattr(trainer.accelerator, "distributed_type", "")).upper()
    return not any(each in sort for each in SHARDED)


def askable(trainer: Any, inputs: Mapping[str, Any]) -> bool:
    """Whether the model may be asked once more: it is whole, reads tokens alone, and is not compiled again for it."""
    return whole(trainer) and inputs.get("pixel_values") is None and not getattr(trainer.args, "torch_compile", False)


def rescore_rows(
    trainer: Any, again: Callable[..., Any], written: WrittenTokens, scored: ScoredTokens
) -> RescoredRows | None:
    """Scores a few rows again, one by one.

    Args:
        trainer: whose model it is.
        again: the trainer's own function for log-probabilities.
        written: what the sampler wrote.
        scored: the log-probabilities that the loss was made of.
    """
    places = _pick_rows(
        [place for place in place_completions(scored.ids, written) if len(_find_own_tokens(written, place, scored))]
    )
    if not places:
        return None
    rows = [place.row for place in places]
    trained = to_numbers(scored.log_probabilities[rows])
    with leave_undisturbed(0), torch.no_grad():
        repeat = _repeat(trainer, again, scored, rows)
        plain = [_score_plainly(trainer, written, place, scored) for place in places]
    mask = np.zeros(trained.shape, bool)
    sampled, untempered = np.full(trained.shape, np.nan), np.full(trained.shape, np.nan)
    sizes = []
    for line, (columns, tempered, bare, size) in enumerate(plain):
        mask[line, columns], sampled[line, columns], untempered[line, columns] = True, tempered, bare
        sizes.append(size)
    apart = np.abs(trained - repeat)[mask]
    return RescoredRows(
        rows=rows,
        trained=trained,
        sampled=sampled,
        untempered=untempered,
        mask=mask,
        noise=float(apart.mean()) if apart.size else 0.0,
        largest_noise=float(apart.max(initial=0.0)),
        # half a unit in the last place of a logit is a fifth of eps in the mean, some of it the same on both sides;
        # the layers before it add about as much again, however small the logits are
        rounding=_find_precision(trainer) * max(float(np.mean(sizes)) / 10, 0.6),
        divergence=float(k3(trained[mask], repeat[mask]).mean()) if apart.size else 0.0,
    )


def _pick_rows(places: list[PlacedCompletion]) -> list[PlacedCompletion]:
    """A few rows, with much padding before them and with little: where positions go wrong, padding moves them."""
    ordered = sorted(places, key=lambda place: place.start)
    if len(ordered) <= MOST_COMPARED:
        return ordered
    return [ordered[at] for at in np.linspace(0, len(ordered) - 1, MOST_COMPARED).astype(int)]


def _repeat(trainer: Any, again: Callable[..., Any], scored: ScoredTokens, rows: list[int]) -> Array:
    answer = again(trainer.model, scored.ids[rows], scored.attention[rows], scored.width, batch_size=1)
    return to_numbers(answer[0] if isinstance(answer, tuple) else answer)


def _score_plainly(
    trainer: Any, written: WrittenTokens, place: PlacedCompletion, scored: ScoredTokens
) -> tuple[Array, Array, Array, float]:
    """A completion scored as it was written: alone, without padding, by the model's own logits.

    Returns:
        The columns among the scored tokens, log-probabilities with and without temperature, and how large logits are.
    """
    own = _find_own_tokens(written, place, scored)
    if len(own) > MOST_TOKENS:
        own = own[np.linspace(0, len(own) - 1, MOST_TOKENS).astype(int)]
    device = scored.ids.device
    ids = torch.tensor([written.prompts[place.number] + written.completions[place.number]], device=device)
    positions = torch.tensor(own - 1, device=device)
    chosen = ids[0, positions + 1]
    with trainer.accelerator.autocast():
        logits = _compute_logits(trainer.model, ids, positions).float()
    temperature = float(getattr(trainer, "temperature", 1.0) or 1.0)
    tempered, bare = (
        to_numbers(torch.log_softmax(logits / heat, -1).gather(1, chosen[:, None])[:, 0]) for heat in (temperature, 1.0)
    )
    size = float(logits.gather(1, chosen[:, None]).abs().mean())
    return own + place.start - (int(scored.ids.shape[1]) - scored.width), tempered, bare, size


def _find_own_tokens(written: WrittenTokens, place: PlacedCompletion, scored: ScoredTokens) -> Array:
    """Where, counted from the start of the prompt, the tokens are that the model wrote and the trainer scored.

    Tokens that the trainer hides from the model (those of completions that were cut, say) are not scored.
    """
    own = np.flatnonzero(np.asarray(written.own[place.number])) + len(written.prompts[place.number])
    before = int(scored.ids.shape[1]) - scored.width
    own = own[(own > 0) & (own + place.start >= before)]
    if scored.attention is None:
        return np.asarray(own)
    seen = scored.attention[place.row].detach().cpu().numpy() != 0
    return np.asarray(own[seen[own + place.start]])


def _compute_logits(model: Any, ids: Any, positions: Any) -> Any:
    """Logits at some positions of one row; the others are not computed where the model can leave them out."""
    bare = model.get_base_model() if hasattr(model, "get_base_model") else model
    if "logits_to_keep" in inspect.signature(type(bare).forward).parameters:
        return model(input_ids=ids, use_cache=False, logits_to_keep=positions).logits[0]
    return model(input_ids=ids, use_cache=False).logits[0, positions]


def _find_precision(trainer: Any) -> float:
    """The relative size of a rounding error in the number format of the logits."""
    head = trainer.model.get_output_embeddings()
    formats = [torch.float32 if head is None else head.weight.dtype]
    formats += [kind for name, kind in (("bf16", torch.bfloat16), ("fp16", torch.float16)) if _set(trainer, name)]
    return max(float(torch.finfo(each).eps) for each in formats if each.is_floating_point)


def _set(trainer: Any, name: str) -> bool:
    return bool(getattr(trainer.args, name, False))


def compare_sampler(trainer: Any, seen: RescoredRows | None, inputs: Mapping[str, Any]) -> SamplerLogProbs | None:
    """Sampler against trainer. A sampler that keeps back unlikely tokens has another softmax and is not compared."""
    if seen is None:
        return None
    reported = inputs.get("sampling_per_token_logps")
    sampled = seen.sampled
    if reported is not None:
        if any(getattr(trainer, name, None) not in neutral for name, neutral in NEUTRAL.items()):
            return None
        if reported.shape[1] != seen.trained.shape[1]:
            return None
        sampled = to_numbers(reported[seen.rows])
    return SamplerLogProbs(
        sampled=sampled,
        trained=seen.trained,
        mask=seen.mask,
        untempered=seen.untempered,
        temperature=float(getattr(trainer, "temperature", 1.0) or 1.0),
        floor=seen.floor,
        foreign=reported is not None,
    )


def compare_probabilities(
    trainer: Any, seen: RescoredRows | None, batch: SeenBatch, inputs: Mapping[str, Any]
) -> Probabilities | None:
    """Log-probabilities that were kept while making the batch against those of the first loss, before any step."""
    if seen is None:
        return None
    mask = to_numbers(inputs["completion_mask"]) != 0.0
    fresh = to_numbers(batch.learning[0].log_probabilities)
    if fresh.shape != mask.shape:
        return None
    kept, whole = inputs.get("old_per_token_logps"), inputs.get("old_logps")
    if kept is not None:
        stored, fresh = to_numbers(kept)[mask], fresh[mask]
    elif whole is not None:
        stored, fresh = to_numbers(whole), (fresh * mask).sum(axis=1)
    else:
        return None
    length = 1 if kept is not None else mask.shape[1]
    return Probabilities(
        stored=stored,
        fresh=fresh,
        floor=max(seen.largest_noise, seen.rounding) * length,
        epochs=int(getattr(trainer, "num_iterations", 1) or 1),
        clip_range=float(getattr(trainer, "epsilon_high", 0.2)),
    )


def measure_reference_kl(
    trainer: Any, seen: RescoredRows | None, batch: SeenBatch, inputs: Mapping[str, Any]
) -> ReferenceKl | None:
    """The KL to the reference model, per token, for each row of a batch."""
    if seen is None:
        return None
    pair = _read_with_reference(trainer, batch, inputs)
    if pair is None:
        return None
    policy, other, mask = pair
    counts = mask.sum(axis=1)
    divergence = (k3(policy, other) * mask).sum(axis=1)[counts > 0] / counts[counts > 0]
    return ReferenceKl(kl=divergence, floor=max(seen.divergence, seen.rounding**2))


def _read_with_reference(
    trainer: Any, batch: SeenBatch, inputs: Mapping[str, Any]
) -> tuple[Array, Array, Array] | None:
    """Log-probabilities of the policy and of the reference for the same tokens, with their mask."""
    given = inputs.get("ref_per_token_logps")
    if given is not None and len(batch.learning) == 1:
        policy, other = to_numbers(batch.learning[0].log_probabilities), to_numbers(given)
        mask = to_numbers(inputs["completion_mask"]) != 0.0
    elif (both := find_reference_scores(trainer, batch)) is not None and batch.output is not None:
        policy, other = (to_numbers(each.log_probabilities) for each in both)
        mask = to_numbers(batch.output["completion_mask"]) != 0.0
    else:
        return None
    return (policy, other, mask) if policy.shape == other.shape == mask.shape else None


def find_reference_scores(trainer: Any, batch: SeenBatch) -> tuple[ScoredTokens, ScoredTokens] | None:
    """What policy and reference said while the batch was made; adapters are switched off for the second call."""
    if not getattr(trainer, "beta", 0.0) or len(batch.making) != 2:
        return None
    policy, other = batch.making
    reference = getattr(trainer, "ref_model", None)
    right = policy.model is trainer.model and other.model is (trainer.model if reference is None else reference)
    return (policy, other) if right else None
