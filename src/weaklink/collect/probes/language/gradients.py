"""From passes to rows: which token of which completion the loss scored, with which weight.

Whatever the loss, as long as it is a function of the log-probabilities of the tokens that were written, its gradient
with respect to the logits of one token is a weight times (softmax - one-hot of the token) / temperature. So the weight
can be read from the gradient, and what does not have this form was not made from this token at this temperature.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from weaklink.base.evidence.series import Array
from weaklink.base.evidence.tokens import ModelPass, TokenTraining, Vocabulary


@dataclass(frozen=True)
class CompletionRow:
    """One completion that was learned from.

    `at` are the places of its own tokens in the row of `ids`, the end among them, `tools` those of a tool's, `asked`
    those of the prompt and `outside` those of the padding. `logits` and `gradient` belong to the token at each place.
    """

    ids: Array
    logits: Array
    gradient: Array
    asked: Array
    at: Array
    tools: Array
    outside: Array

    @property
    def prompt(self) -> tuple[int, ...]:
        """The tokens of the prompt."""
        return tuple(int(number) for number in self.ids[self.asked])

    @property
    def completion(self) -> tuple[int, ...]:
        """The tokens after it, those of tools among them."""
        return tuple(int(number) for number in self.ids[np.sort(np.concatenate([self.at, self.tools]))])

    @property
    def length(self) -> int:
        """How many tokens are its own."""
        return len(self.at)

    def asked_of(self, places: Array) -> float:
        """How much the loss asks at these places, in all."""
        return float(np.abs(self.gradient[places]).sum())

    def weights(self, temperature: float) -> Array:
        """The weight of each own token, above 0 where it is made likelier."""
        direction = _compute_direction(self.logits[self.at], self.ids[self.at], temperature)
        return -temperature * np.asarray((self.gradient[self.at] * direction).sum(1) / (direction**2).sum(1))

    def log_probs(self, temperature: float = 1.0) -> Array:
        """Of its own tokens."""
        return compute_log_probs(self.logits[self.at], self.ids[self.at], temperature)

    def unexplained(self, temperature: float, shift: int = 0) -> tuple[float, float]:
        """What is left of the squared gradient if it were made from the token `shift` further on, and all of it."""
        places = self.at[(self.at + shift >= 0) & (self.at + shift < len(self.ids))]
        gradient = self.gradient[places]
        direction = _compute_direction(self.logits[places], self.ids[places + shift], temperature)
        along = (gradient * direction).sum(1, keepdims=True) / np.maximum((direction**2).sum(1, keepdims=True), 1e-30)
        return float(((gradient - along * direction) ** 2).sum()), float((gradient**2).sum())


def compute_log_probs(logits: Array, tokens: Array, temperature: float = 1.0) -> Array:
    """The log-probability of each token under its row of logits."""
    scaled = logits / temperature
    scaled = scaled - scaled.max(1, keepdims=True)
    normal = np.log(np.exp(scaled).sum(1))
    return np.asarray(scaled[np.arange(len(tokens)), tokens] - normal)


def _compute_direction(logits: Array, tokens: Array, temperature: float) -> Array:
    scaled = logits / temperature
    chance = np.exp(scaled - scaled.max(1, keepdims=True))
    chance /= chance.sum(1, keepdims=True)
    direction: Array = -chance
    direction[np.arange(len(tokens)), tokens] += 1.0
    return direction


@dataclass
class SeenUpdate:
    """What one update learned from."""

    rows: list[CompletionRow] = field(default_factory=list)

    @property
    def own(self) -> float:
        """How much the loss asks of own tokens."""
        return sum(row.asked_of(row.at) for row in self.rows)

    def explained(self, temperature: float, shift: int = 0) -> float:
        """The share of the squared gradient that the own tokens at this temperature explain."""
        parts = [row.unexplained(temperature, shift) for row in self.rows]
        whole = sum(all_of_it for _, all_of_it in parts)
        return 1.0 - sum(left for left, _ in parts) / whole if whole > 0 else 0.0


def list_updates(seen: TokenTraining) -> list[SeenUpdate]:
    """The updates in their order; passes that asked for nothing are part of theirs."""
    found: dict[int, SeenUpdate] = {}
    for each in seen.passes:
        if not np.isfinite(each.gradient).all():
            continue
        rows = found.setdefault(each.update, SeenUpdate()).rows
        rows += [
            row for number in range(len(each.ids)) if (row := _read_row(each, number, seen.vocabulary)) is not None
        ]
    return [found[number] for number in sorted(found) if found[number].rows]


def _read_row(given: ModelPass, number: int, known: Vocabulary) -> CompletionRow | None:
    ids, logits, gradient = _align_tokens(given, number, known.pad)
    places = np.flatnonzero(ids != known.pad)
    asks = np.flatnonzero(np.isin(ids, known.askers))
    if not len(asks):
        return None
    said = places[places > asks[-1]]
    ends = np.flatnonzero(ids[said] == known.end)
    said = said[: ends[0] + 1] if len(ends) else said
    if not len(said):
        return None
    spoken = np.isin(ids[said], known.tools)
    asked = places[places <= asks[-1]]
    outside = np.setdiff1d(np.arange(len(ids)), np.concatenate([asked, said]))
    return CompletionRow(ids, logits, gradient, asked, said[~spoken], said[spoken], outside)


def _align_tokens(given: ModelPass, number: int, pad: int) -> tuple[Array, Array, Array]:
    """Tokens, and for each the logits and the gradient that belong to it: those of the place before.

    Some trainers leave the last token out of the pass: what its logits ask for tells which one it was.
    """
    ids, logits, gradient = given.ids[number], given.logits[number], given.gradient[number]
    missing = len(ids) - len(logits)
    logits = np.vstack([np.zeros((missing + 1, logits.shape[1])), logits])
    gradient = np.vstack([np.zeros((missing + 1, gradient.shape[1])), gradient])
    last = np.abs(gradient[-1])
    if last.max() > 0.0:
        return np.append(ids, int(last.argmax())), logits, gradient
    return ids, logits[:-1], gradient[:-1]


def read_words(tokens: Sequence[int], seen: TokenTraining) -> tuple[str, ...]:
    """Tokens as the reward function saw them: without those that pad and end."""
    silent = (seen.vocabulary.pad, seen.vocabulary.end)
    return tuple(seen.words[number] for number in tokens if number not in silent)
