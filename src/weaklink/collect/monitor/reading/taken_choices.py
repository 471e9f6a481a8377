"""The choices that were taken, beside the probabilities that they were drawn from and the steps they belong to."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from weaklink.base.evidence.recovered import RecoveredPolicy
from weaklink.base.evidence.rollout import Array
from weaklink.base.evidence.update import UNMATCHED, HeadCall, UpdateReading
from weaklink.base.reference.divergences import log_softmax
from weaklink.collect.monitor.reading.categorical import find_masked, split_choices
from weaklink.collect.monitor.reading.joined import JoinedCalls
from weaklink.collect.monitor.reading.tape_rows import TakenActions, name_acting, read_answers

EXPLAINED = 1e-2
"""A loss that leaves more than this share of its gradients does not score choices by these probabilities."""

SHARPEST, HALVINGS = 7.0, 24
"""The factor of logits is looked for up to sinh(7), some five hundred, as closely as a thousandth."""

FEWEST_LAGGED, LAGGED = 32, 0.9
"""Rows that must tell, and the share of them whose action another step explains; ends of episodes break the chain."""


def read_log_probs(reading: UpdateReading, taken: TakenActions) -> Array:
    """(rows of the tape,) log-probabilities of choices by the policy that learns, the last time that it was asked."""
    found = np.full(reading.tape.rows, np.nan)
    if not taken.discrete:
        return found
    for call in reading.calls:
        known = call.rows != UNMATCHED
        logs = _score_call(call, known, taken.table[call.rows[known]])
        if logs is not None:
            found[call.rows[known]] = logs
    return found


def read_log_ratios(reading: UpdateReading, taken: TakenActions) -> Array:
    """(rows of the tape,) what these are above the log-probabilities by the policy that acted, a copy of an older one.

    NaN where nobody knows, as where the policy that learns acts itself.
    """
    found = np.full(reading.tape.rows, np.nan)
    if not taken.discrete or taken.table.shape[1] != 1:
        return found
    for call in reading.calls:
        known = call.rows != UNMATCHED
        acting = name_acting(reading, call.head)
        logs = _score_call(call, known, taken.table[call.rows[known]]) if acting != call.head else None
        before = None if logs is None else read_answers(reading, acting)
        if before is not None and before.shape[1] == call.outputs.shape[1]:
            rows = call.rows[known]
            found[rows] = logs - log_softmax(before[rows])[np.arange(len(rows)), taken.table[rows, 0]]
    return found


def _score_call(call: HeadCall, known: Array, chosen: Array) -> Array | None:
    """(n,) log-probabilities of the choices of known rows; None where a head does not hold their logits."""
    outputs, asked = (np.asarray(each[known], np.float64) for each in (call.outputs, call.gradients))
    if not len(chosen) or outputs.shape[1] < 2:
        return None
    pieces = [slice(None)] if chosen.shape[1] == 1 else split_choices(asked, chosen.shape[1])
    if pieces is None:
        return None
    logs = np.zeros(len(chosen))
    for place, piece in enumerate(pieces):
        logits, own = outputs[:, piece], chosen[:, place]
        if len(pieces) == 1 and int(own.max()) + 1 != logits.shape[1]:
            return None
        if int(own.max()) >= logits.shape[1]:
            return None
        masked = find_masked(logits, asked[:, piece]) if len(pieces) > 1 else np.zeros(logits.shape, bool)
        logs += log_softmax(np.where(masked, -np.inf, logits))[np.arange(len(own)), own]
    return logs


def add_drawn(
    found: RecoveredPolicy, before: Array | None, joined: JoinedCalls, pieces: list[slice], chosen: Array
) -> RecoveredPolicy:
    """How often the likeliest action was taken, beside how often it should be, of rows that the policy acted in."""
    if before is None or len(pieces) > 1 or before.shape[1] != joined.outputs.shape[1] or found.unexplained is None:
        return found
    rows, places = np.unique(joined.rows, return_index=True)
    logits = before[rows]
    known = np.isfinite(logits).all(axis=1) & (found.unexplained < EXPLAINED)
    if not known.any() or np.any(find_masked(joined.outputs, joined.asked)[joined.asked.any(axis=1)]):
        return found
    chance = np.exp(log_softmax(logits[known]))
    likeliest = float(np.mean(chance.argmax(axis=1) == chosen[places[known], 0]))
    expected = float(np.mean(chance.max(axis=1)))
    sharpness, sharper = fit_sharpness(logits[known], chosen[places[known], 0])
    return replace(
        found,
        drawn=int(known.sum()),
        likeliest=likeliest,
        expected=expected,
        sharpness=sharpness,
        sharper=sharper,
    )


def fit_sharpness(logits: Array, chosen: Array) -> tuple[float, float]:
    """What logits are multiplied by where these choices are likeliest, and how many deviations a factor of 1 is off.

    The second is the score test of a temperature of 1, above 0 where likely choices were taken too often.
    """
    centred = logits - logits.mean(axis=1, keepdims=True)
    own = float(centred[np.arange(len(chosen)), chosen].sum())

    def measure(factor: float) -> tuple[float, float]:
        chance = np.exp(log_softmax(factor * centred))
        mean = np.sum(chance * centred, axis=1)
        return own - float(mean.sum()), float(np.sum(chance * centred**2) - np.sum(mean**2))

    above, spread = measure(1.0)
    if not spread > 0.0:
        return 1.0, 0.0
    low, high = -SHARPEST, SHARPEST
    for _ in range(HALVINGS):  # the score falls as the factor rises
        middle = 0.5 * (low + high)
        low, high = (middle, high) if measure(float(np.sinh(middle)))[0] > 0.0 else (low, middle)
    return float(np.sinh(0.5 * (low + high))), above / float(np.sqrt(spread))


def find_lag(scored: Array, told: Array, rows: Array, taken: Array, members: int) -> int:
    """How many steps after its own row the scored action was taken, below 0 for before; 0 where no other step fits."""
    shares = {}
    for lag in (0, -1, 1, -2, 2):
        there = rows + lag * members
        known = told & (there >= 0) & (there < len(taken))
        if known.sum() < FEWEST_LAGGED:
            return 0
        shares[lag] = float(np.mean(scored[known] == taken[there[known]]))
    best = max(shares, key=lambda lag: shares[lag])
    return best if shares[best] > LAGGED and shares[0] < LAGGED else 0
