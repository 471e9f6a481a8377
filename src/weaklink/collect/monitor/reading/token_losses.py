"""What the loss of a network over sequences asks of each token, read off the gradient at its outputs.

The gradient of a log-probability at the logits points from the probabilities to the token that is scored, whatever it
is weighed with: advantage, ratio and penalty together. So each place tells which token it scores and with which weight.
The output at a place predicts the token at the next one.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from weaklink.base.evidence.flaw_kinds import AWAY_FROM_REFERENCE, ONE_SIGN, OWN_PLACE, PADDED_LOSS
from weaklink.base.evidence.recovered import RecoveredFlaw
from weaklink.base.evidence.rollout import Array
from weaklink.base.evidence.update import HeadCall, UpdateReading, strip_numbers
from weaklink.base.reference.divergences import log_softmax

OF_TOKENS = (OWN_PLACE, PADDED_LOSS, ONE_SIGN, AWAY_FROM_REFERENCE)

FAINT = 1e-6
"""Gradients below this share of the largest one ask nothing."""

EXPLAINED, NEARLY_ALL, FEW = 0.05, 0.95, 0.6
"""What a token that is scored may leave of the gradient at a place, the share of places that it must explain so, and
the share of them that any token may explain by being the same."""

FEWEST_PLACES, FEWEST_SEQUENCES = 64, 8
"""Places and sequences below which nothing is said."""

PADDED, UNLIKELY, MOSTLY = 0.25, 0.5, 0.5
"""The share of sequences that end in padding, how often at most the policy would write that token at these places, and
the share of them that the loss counts."""

GROUP, GROUPS, ONE_SIDED = 3, 4, 0.95
"""Completions of a prompt, prompts, and the share of completions of one sign from which on nothing was subtracted."""

SLIGHT = 1e-3
"""Sequences below this share of the largest weight are as good as not weighed."""

FOLLOWS, FARTHEST = 0.9, 20.0
"""How much of the weights within sequences the penalty must explain, and logarithms beyond which it is cut."""


@dataclass(frozen=True, slots=True, eq=False)
class Penalty:
    """What weights of tokens owe to the distance from a reference model.

    Attributes:
        gaps: (sequences, places - 1) the derivative of the distance by the log-probability of the token.
        slope: of the weights over it within sequences: below 0 where distance is punished, 0 where nothing follows it.
        share: of the weights' variance within sequences that it explains.
    """

    gaps: Array
    slope: float
    share: float


@dataclass(frozen=True, slots=True, eq=False)
class TokenScores:
    """One pass over sequences that a loss was made of, (sequences, places - 1) each.

    Attributes:
        head: of the network.
        tokens: (sequences, places).
        counted: whether the loss asks anything of the output at a place.
        following: the log-probabilities of the token that follows; NaN where the network has no output for it.
        weights: how strongly that token is made likelier.
        explained: whether that explains what is asked.
        own: whether the token at the place itself explains it.
    """

    head: str
    tokens: Array
    counted: Array
    following: Array
    weights: Array
    explained: Array
    own: Array


def find_token_flaws(reading: UpdateReading) -> tuple[tuple[RecoveredFlaw, ...], frozenset[str]]:
    """Flaws of losses over tokens, the first of each kind, and the kinds that would have shown."""
    flaws: dict[str, RecoveredFlaw] = {}
    looked = False
    for call in _list_fresh(reading):
        scores = read_scores(call)
        if scores is not None and scores.counted.sum() >= FEWEST_PLACES:
            looked = True
            penalty = _fit_penalty(scores, reading)
            placed = (*_find_own_place(scores), *_find_padding(scores, call.outputs.shape[1]))
            for flaw in (*placed, *_find_one_sign(scores, penalty), *_find_away(scores, penalty)):
                flaws.setdefault(flaw.kind, flaw)
    return tuple(flaws.values()), frozenset(OF_TOKENS) if looked else frozenset()


def _list_fresh(reading: UpdateReading) -> Iterator[HeadCall]:
    """The first pass over each batch of sequences: no weight of theirs was changed by a ratio yet."""
    seen = set[bytes]()
    for call in reading.calls:
        name = b"" if call.tokens is None else call.tokens.tobytes()
        if name and name not in seen:
            yield call
        seen.add(name)


def read_scores(call: HeadCall) -> TokenScores | None:
    """Which token each place scores; None where the outputs are no logits of tokens."""
    tokens = np.asarray(call.tokens)
    outputs = np.asarray(call.outputs, np.float64).reshape(*tokens.shape, -1)
    asked = np.asarray(call.gradients, np.float64).reshape(outputs.shape)
    size = np.linalg.norm(asked, axis=2)
    if outputs.shape[2] < 3 or len(tokens) < FEWEST_SEQUENCES or not np.isfinite(asked).all() or not size.any():
        return None
    logs = log_softmax(outputs.reshape(-1, outputs.shape[2])).reshape(outputs.shape)
    counted = (size > FAINT * size.max())[:, :-1]
    following, weights, explained = _score(logs[:, :-1], asked[:, :-1], tokens[:, 1:])
    own = _score(logs[:, :-1], asked[:, :-1], tokens[:, :-1])[2]
    return TokenScores(call.head, tokens, counted, following, weights, explained & counted, own & counted)


def _score(logs: Array, asked: Array, tokens: Array) -> tuple[Array, Array, Array]:
    """Log-probabilities of tokens, how strongly each is made likelier, and whether that explains what is asked."""
    known = (tokens >= 0) & (tokens < logs.shape[2])
    place = np.where(known, tokens, 0)[..., None]
    point = -np.exp(logs)
    np.put_along_axis(point, place, np.take_along_axis(point, place, 2) + 1.0, 2)
    weights = -np.sum(asked * point, axis=2) / np.maximum(np.sum(point**2, axis=2), 1e-30)
    left = np.linalg.norm(asked + weights[..., None] * point, axis=2)
    explained = known & (left <= EXPLAINED * np.linalg.norm(asked, axis=2))
    return np.where(known, np.take_along_axis(logs, place, 2)[..., 0], np.nan), weights, explained


def _find_own_place(scores: TokenScores) -> Iterator[RecoveredFlaw]:
    """Places that score their own token, which the network was just given, and not the one that follows."""
    count = int(scores.counted.sum())
    right, own = scores.explained.sum() / count, scores.own.sum() / count
    if own >= NEARLY_ALL and right <= FEW:
        yield RecoveredFlaw(kind=OWN_PLACE, head=scores.head, count=int(scores.own.sum()), of=count)


def _find_padding(scores: TokenScores, width: int) -> Iterator[RecoveredFlaw]:
    """Tokens that fill sequences up behind their ends, and that the loss counts all the same.

    They are one token up to the end of sequences of many lengths, behind the first of which the policy would hardly
    ever write it: that one may be the end of the sequence itself.
    """
    last = int(np.bincount(np.maximum(scores.tokens[:, -1], 0)).argmax())
    runs = np.cumprod((scores.tokens == last)[:, ::-1], axis=1).sum(axis=1)
    padded = runs >= 2
    if padded.mean() < PADDED or len(np.unique(runs)) < 3:
        return
    places = np.arange(1, scores.tokens.shape[1])
    filled = places[None] > scores.tokens.shape[1] - runs[:, None]
    expected = float(np.exp(scores.following[filled]).sum()) if last < width else 0.0
    count = int(filled.sum())
    if expected <= UNLIKELY * count and np.mean(scores.counted[filled]) >= MOSTLY:
        seen = int(scores.counted[filled].sum())
        yield RecoveredFlaw(kind=PADDED_LOSS, head=scores.head, count=seen, of=count, number=float(last))


def _find_one_sign(scores: TokenScores, penalty: Penalty) -> Iterator[RecoveredFlaw]:
    """Completions of the same prompts that are all made likelier, or all less likely: nothing was subtracted."""
    if scores.explained.sum() < NEARLY_ALL * scores.counted.sum():
        return
    pure = np.where(scores.explained, scores.weights - penalty.slope * np.nan_to_num(penalty.gaps), np.nan)
    known = scores.explained.any(axis=1)
    weights = np.zeros(len(pure))
    weights[known] = np.nanmedian(pure[known], axis=1)
    prompts = _number_prompts(scores)
    strength = np.abs(weights)
    telling = (np.bincount(prompts)[prompts] >= GROUP) & (strength > SLIGHT * strength.max())
    groups = len(np.unique(prompts[telling]))
    if groups < GROUPS or telling.sum() < FEWEST_SEQUENCES:
        return
    lengths = scores.explained.sum(axis=1)
    if any(np.ptp(each[telling]) <= SLIGHT * np.abs(each[telling]).max() for each in (weights, weights * lengths)):
        return  # all alike, as where good completions are merely imitated
    raised = int(np.sum(weights[telling] > 0.0))
    count = max(raised, int(telling.sum()) - raised)
    if count >= ONE_SIDED * telling.sum():
        yield RecoveredFlaw(kind=ONE_SIGN, head=scores.head, count=count, of=int(telling.sum()), number=float(groups))


def _number_prompts(scores: TokenScores) -> Array:
    """The number of each sequence's prompt: what comes before the first token that is scored in any of them."""
    start = int(scores.counted.any(axis=0).argmax())
    return np.unique(scores.tokens[:, : start + 1], axis=0, return_inverse=True)[1].reshape(-1)


def _find_away(scores: TokenScores, penalty: Penalty) -> Iterator[RecoveredFlaw]:
    """A penalty for the distance from a reference model that is paid for: tokens that the policy has made likelier than
    the reference are made still likelier, beside the other tokens of their sequence."""
    if penalty.slope > 0.0:
        count = int(scores.explained.sum())
        yield RecoveredFlaw(kind=AWAY_FROM_REFERENCE, head=scores.head, count=count, of=count, number=penalty.share)


def _fit_penalty(scores: TokenScores, reading: UpdateReading) -> Penalty:
    """How the weights follow the distance from the same layer of a copy that was given the same sequences."""
    for answer in reading.answers:
        copied = answer.head != scores.head and strip_numbers(answer.head) == strip_numbers(scores.head)
        if not copied or answer.tokens is None or not np.array_equal(answer.tokens, scores.tokens):
            continue
        logs = log_softmax(np.asarray(answer.outputs, np.float64)).reshape(*scores.tokens.shape, -1)[:, :-1]
        place = np.clip(scores.tokens[:, 1:], 0, logs.shape[2] - 1)[..., None]
        apart = np.take_along_axis(logs, place, 2)[..., 0] - scores.following
        gaps = 1.0 - np.exp(np.clip(apart, -FARTHEST, FARTHEST))
        slope, share = _fit_within(gaps, scores.weights, scores.explained & np.isfinite(gaps))
        if share >= FOLLOWS:
            return Penalty(gaps, slope, share)
    return Penalty(np.zeros_like(scores.weights), 0.0, 0.0)


def _fit_within(given: Array, weights: Array, known: Array) -> tuple[float, float]:
    """The slope of weights over another number within sequences, and the share of their variance that it explains."""
    count = np.maximum(known.sum(axis=1, keepdims=True), 1)
    apart = [
        np.where(known, each - np.sum(np.where(known, each, 0.0), axis=1, keepdims=True) / count, 0.0)
        for each in (np.nan_to_num(given), weights)
    ]
    spread, whole = (float(np.sum(each**2)) for each in apart)
    both = float(np.sum(apart[0] * apart[1]))
    if spread <= 1e-12 or whole <= FAINT**2 * float(np.sum(np.where(known, weights, 0.0) ** 2)):
        return 0.0, 0.0
    return both / spread, both**2 / (spread * whole)
