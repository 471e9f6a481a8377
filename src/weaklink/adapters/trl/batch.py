"""One batch of completions as a TRL trainer made it: what was written, paid and scored, until it is learned from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

Array = NDArray[Any]

MOST_ROWS = 32
"""So many rows of a batch are looked at token by token."""


@dataclass(frozen=True)
class WrittenTokens:
    """The tokens of each prompt and completion; `own` is 1 for tokens that the model wrote, 0 for those of a tool."""

    prompts: list[list[int]]
    completions: list[list[int]]
    own: list[list[int]]


@dataclass(frozen=True)
class ScoredTokens:
    """Log-probabilities of the last tokens of some rows, as the trainer computed them."""

    model: Any
    ids: Any
    attention: Any
    log_probabilities: Any

    @property
    def width(self) -> int:
        """How many tokens of each row were scored."""
        return int(self.log_probabilities.shape[1])


@dataclass
class SeenBatch:
    """Everything seen of one batch. `making` are the log-probabilities computed while it was made."""

    update: int
    written: WrittenTokens | None = None
    rewards: Any = None
    output: Mapping[str, Any] | None = None
    making: list[ScoredTokens] = field(default_factory=list)
    learning: list[ScoredTokens] = field(default_factory=list)


@dataclass(frozen=True)
class PlacedCompletion:
    """Where a completion lies: in which row of the scored tokens, which one it is, and where its prompt starts."""

    row: int
    number: int
    start: int


def read_written(made: Any) -> WrittenTokens | None:
    """The tokens in what `_generate` returned; None where that has another form than is known."""
    if not isinstance(made, tuple) or len(made) < 2:
        return None
    prompts, completions = _read_rows(made[0]), _read_rows(made[1])
    if prompts is None or completions is None or len(prompts) != len(completions):
        return None
    own = _read_rows(made[2]) if len(made) > 2 else None
    if own is None or list(map(len, own)) != list(map(len, completions)):
        own = [[1] * len(each) for each in completions]
    return WrittenTokens(prompts, completions, own)


def _read_rows(lists: Any) -> list[list[int]] | None:
    if not isinstance(lists, Sequence) or isinstance(lists, str) or not lists:
        return None
    whole = all(isinstance(each, Sequence) and all(isinstance(one, int) for one in each) for each in lists)
    return [list(each) for each in lists] if whole else None


def read_scored(arguments: tuple[Any, ...], named: Mapping[str, Any], answer: Any) -> ScoredTokens | None:
    """A call of the trainer's own function for log-probabilities."""
    given = {**dict(zip(("model", "input_ids", "attention_mask"), arguments, strict=False)), **named}
    first = answer[0] if isinstance(answer, tuple) else answer
    ids = given.get("input_ids")
    if not isinstance(first, torch.Tensor) or first.dim() != 2 or ids is None or len(ids) != len(first):
        return None
    return ScoredTokens(given.get("model"), ids, given.get("attention_mask"), first)


def to_numbers(tensor: Any) -> Array:
    """A tensor as an array of 64-bit numbers, wherever it lies."""
    return np.asarray(tensor.detach().to("cpu", torch.float64).numpy())


def place_completions(ids: Any, tokens: WrittenTokens) -> list[PlacedCompletion]:
    """Finds what was written in rows of tokens that may have been shuffled and padded since.

    Tokens alone decide, and not the masks that come with them: whether those are right is the question.
    """
    wanted = [np.asarray(p + c, np.int64).tobytes() for p, c in zip(tokens.prompts, tokens.completions, strict=True)]
    longest = sorted(range(len(wanted)), key=lambda number: -len(wanted[number]))
    found = []
    for row, line in enumerate(ids[:MOST_ROWS].detach().cpu().numpy().astype(np.int64)):
        place = _find_first(line.tobytes(), wanted, longest)
        if place is not None:
            found.append(PlacedCompletion(row, *place))
    return found


def _find_first(line: bytes, wanted: list[bytes], order: list[int]) -> tuple[int, int] | None:
    size = np.dtype(np.int64).itemsize
    for number in order:
        at = line.find(wanted[number])
        while at >= 0:
            if at % size == 0:
                return number, at // size
            at = line.find(wanted[number], at + 1)
    return None
