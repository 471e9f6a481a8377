"""A training on tokens as the probes of language models see it: its settings, what was paid, what the loss asked for.

A policy over tokens is taught by one tensor alone: the gradient of the loss with respect to the logits. Whoever holds
it beside the tokens knows which token was scored, with which weight and at which temperature, whatever the trainer.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import msgspec
import numpy as np

from weaklink.base.evidence.series import Array


class TokenSettings(msgspec.Struct, frozen=True, kw_only=True):
    """What a language trainer is asked to train with.

    Every update draws `group` completions of at most `longest` tokens for each prompt, at `temperature`, and makes one
    step of the optimizer. `beta` weighs the KL to `reference`, a frozen model, which is None where `beta` is 0.
    `rollout(model, prompt_ids)` draws the completions instead where tools speak in between: for each list of tokens it
    returns the tokens of the completion and a list that is 1 for the model's own and 0 for the tool's.
    """

    learning_rate: float = 0.01
    temperature: float = 1.0
    beta: float = 0.0
    group: int = 8
    longest: int = 6
    seed: int = 0
    reference: Any = None
    rollout: Any = None


class Vocabulary(msgspec.Struct, frozen=True, kw_only=True):
    """The numbers of the tokens: what pads, what ends, and which words are whose."""

    pad: int
    end: int
    tools: tuple[int, ...]
    askers: tuple[int, ...]
    answers: tuple[int, ...]


@dataclass
class ModelPass:
    """One pass through the model that was learned from: tokens, logits, and what the loss asked of the logits.

    Logits may belong to the last tokens alone. `update` counts the changes of the weights before it.
    """

    update: int
    ids: Array
    logits: Array
    gradient: Array


@dataclass(frozen=True)
class CompletionPayment:
    """What one completion was paid, both texts as lists of words."""

    prompt: tuple[str, ...]
    completion: tuple[str, ...]
    reward: float


@dataclass
class TokenTraining:
    """All that was seen of one training; distributions are over the first token after each prompt, a row each."""

    settings: TokenSettings
    vocabulary: Vocabulary
    words: tuple[str, ...]
    prompts: tuple[tuple[int, ...], ...]
    passes: list[ModelPass] = field(default_factory=list)
    payments: list[CompletionPayment] = field(default_factory=list)
    before: Array = field(default_factory=lambda: np.empty((0, 0)))
    after: Array = field(default_factory=lambda: np.empty((0, 0)))
    raised: BaseException | None = None
    reference: Any = None
    start: Any = None
    """`reference(rows)` and `start(rows)` give the logits after each token of whole rows, by the reference and by
    the model as it was before the training."""
