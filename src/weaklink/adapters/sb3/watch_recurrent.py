"""Recurrent policies of sb3-contrib: the stored sequences replayed, with states that start anew and with others."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import torch

from weaklink.adapters.sb3.likelihoods import EvaluatedRows, read_actions, to_tensors
from weaklink.adapters.sb3.quiet import use_quietly
from weaklink.adapters.sb3.rollout import HeldRollout, take_rows
from weaklink.base.evidence.rollout import Array, Recurrence

MOST_STEPS = 256
MOST_MEMBERS = 8


class _ReplayPiece(NamedTuple):
    """Steps of one environment that are replayed in one go, and whether they begin an episode."""

    member: int
    first: int
    last: int
    begun: bool


def replay_rollout(model: Any, rollout: HeldRollout, *, floor: bool = False) -> EvaluatedRows:
    """What the policy says of the stored actions, episode after episode.

    Each episode is a sequence of its own that begins with an empty state, or with the stored one where it began before
    the rollout; so nothing here relies on the policy's own way to start anew.
    """
    with use_quietly(model.policy):
        rows, log_probs, entropies = [], [], []
        for piece in _split_pieces(rollout):
            numbers, log_prob, entropy = _run_piece(model, rollout, piece)
            rows.append(numbers)
            log_probs.append(log_prob)
            entropies.append(entropy)
        noise = _measure_noise(model, rollout) if floor else 0.0
    known = [each for each in entropies if each is not None]
    entropy = np.concatenate(known) if len(known) == len(entropies) else None
    return EvaluatedRows(np.concatenate(rows), np.concatenate(log_probs), entropy, noise)


def measure_recurrence(model: Any, rollout: HeldRollout, asked: EvaluatedRows) -> Recurrence:
    """How far the stored log-probabilities lie from the replay, and from one whose states are never reset."""
    stored = rollout.log_probs.reshape(-1)
    steps, members = _limit_size(rollout)
    with use_quietly(model.policy):
        gaps = []
        for member in range(members):
            rows, log_prob, _ = _run_piece(model, rollout, _ReplayPiece(member, 0, steps, False))
            gaps.append(float(np.abs(log_prob - stored[rows]).max()))
    return Recurrence(
        replay_gap=float(np.abs(asked.log_probs - stored[asked.rows]).max()),
        unreset_gap=max(gaps),
        starts=int((rollout.starts[:steps, :members] > 0.5).sum()),
        floor=asked.floor,
    )


def _limit_size(rollout: HeldRollout) -> tuple[int, int]:
    steps, members = rollout.rewards.shape
    return min(steps, MOST_STEPS), min(members, MOST_MEMBERS)


def _split_pieces(rollout: HeldRollout) -> Iterator[_ReplayPiece]:
    steps, members = _limit_size(rollout)
    for member in range(members):
        begun = rollout.starts[:steps, member] > 0.5
        cuts = [0, *(int(each) for each in np.flatnonzero(begun) if each > 0), steps]
        for first, last in pairwise(cuts):
            yield _ReplayPiece(member, first, last, bool(begun[first]))


def _run_piece(
    model: Any, rollout: HeldRollout, piece: _ReplayPiece, times: int = 1
) -> tuple[Array, Array, Array | None]:
    """The rows of a piece with their log-probabilities and entropies; replayed so many times side by side."""
    policy = model.policy
    rows = np.arange(piece.first, piece.last) * rollout.rewards.shape[1] + piece.member
    repeated = np.tile(rows, times)
    _, log_prob, entropy = policy.evaluate_actions(
        to_tensors(take_rows(rollout.observations, repeated), policy.device),
        read_actions(model, rollout, repeated),
        _make_states(rollout, piece, times, policy.device),
        torch.zeros(len(repeated), device=policy.device),
    )
    cut = len(rows)
    return rows, _to_array(log_prob)[:cut], None if entropy is None else _to_array(entropy)[:cut]


def _make_states(rollout: HeldRollout, piece: _ReplayPiece, times: int, device: Any) -> Any:
    from sb3_contrib.common.recurrent.type_aliases import RNNStates

    kept = 0.0 if piece.begun else 1.0
    stored = [
        kept * np.asarray(state[piece.first])[:, piece.member : piece.member + 1] for state in rollout.states or ()
    ]
    one, two, three, four = (torch.as_tensor(each, dtype=torch.float32, device=device) for each in stored)
    repeated = [each.repeat(1, times, 1).contiguous() for each in (one, two, three, four)]
    return RNNStates((repeated[0], repeated[1]), (repeated[2], repeated[3]))


def _measure_noise(model: Any, rollout: HeldRollout) -> float:
    """How far a piece lies from the same piece in a larger batch."""
    piece = next(_split_pieces(rollout))
    _, alone, _ = _run_piece(model, rollout, piece)
    _, beside, _ = _run_piece(model, rollout, piece, times=2)
    return float(np.abs(alone - beside).max())


def _to_array(tensor: Any) -> Array:
    return np.asarray(tensor.detach().double().cpu().numpy().reshape(-1))
