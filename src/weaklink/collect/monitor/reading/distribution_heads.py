"""Heads with more numbers than rewards tell of: value distributions, and action values that all have one target."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from weaklink.base.evidence.recovered import ACTION_VALUES, ATOMS, QUANTILES, RecoveredValues
from weaklink.base.evidence.rollout import Array
from weaklink.base.evidence.update import HeadCall, UpdateReading
from weaklink.collect.monitor.reading.joined import JoinedCalls, join_calls
from weaklink.collect.monitor.reading.state_values import fit_repeated
from weaklink.collect.monitor.reading.tape_rows import TakenActions, find_following
from weaklink.collect.monitor.reading.value_distributions import ActionBlocks, find_blocks, fit_atoms, fit_quantiles
from weaklink.collect.monitor.reading.values import EXPLAINED, MOSTLY, ValueRecovery

GAMMAS = np.array([0.9, 0.95, 0.97, 0.98, 0.99, 0.995, 0.999, 1.0])
"""Discounts from which the one of quantiles is refined."""


def recover_all_alike(calls: Sequence[HeadCall]) -> ValueRecovery | None:
    """Reads action values that are all pulled towards one target a row; None where they are not."""
    joined = join_calls(calls)
    rows = np.repeat(np.arange(len(joined.rows)), joined.outputs.shape[1])
    fit = fit_repeated(rows, joined.outputs.ravel(), joined.asked.ravel())
    if fit is None or fit.unexplained > EXPLAINED or fit.silent > 0.0:
        return None
    return ValueRecovery(
        RecoveredValues(
            head=calls[0].head,
            kind=ACTION_VALUES,
            loss=fit.loss,
            weight=fit.weight,
            unexplained=fit.unexplained,
            compared=len(joined.rows),
            other=1.0,
            all_alike=True,
        )
    )


def recover_distribution(
    reading: UpdateReading, calls: Sequence[HeadCall], taken: TakenActions, choices: int
) -> ValueRecovery | None:
    """Reads a head of value distributions: the atoms of a categorical one, or quantiles."""
    joined = join_calls(calls)
    blocks = find_blocks(joined.asked, choices)
    if blocks is None:
        return None
    outputs, asked, moved = blocks.shape(joined.outputs), blocks.shape(joined.asked), blocks.moved
    known = (joined.rows >= 0) & (moved >= 0)
    own = taken.table[joined.rows[known], 0]
    found = RecoveredValues(
        head=calls[0].head,
        kind=ATOMS,
        compared=int(known.sum()),
        other=float(np.mean(moved[known] != own)) if known.any() else 0.0,
    )
    index = np.flatnonzero(known)
    atoms = fit_atoms(outputs[index, moved[index]], asked[index, moved[index]])
    if atoms is not None and atoms.valid >= MOSTLY:
        return ValueRecovery(replace(found, weight=atoms.weight))
    fit = _fit_quantiles(reading, calls, joined, blocks, index)
    if fit is None or fit[2] > EXPLAINED:
        return ValueRecovery(replace(found, kind=QUANTILES))
    return ValueRecovery(replace(found, kind=QUANTILES, gamma=fit[0], weight=fit[1], unexplained=fit[2]))


def _fit_quantiles(
    reading: UpdateReading, calls: Sequence[HeadCall], joined: JoinedCalls, blocks: ActionBlocks, index: Array
) -> tuple[float, float, float] | None:
    """Quantile regression towards what some network answered of the next observations."""
    answers = [[a for a in find_following(reading, call) if a.outputs.shape == call.outputs.shape] for call in calls]
    if not all(answers) or sum(len(call.rows) for call in calls) != len(joined.rows):
        return None
    tape, rows = reading.tape, joined.rows[index]
    ended = np.asarray(tape.terminated | tape.truncated, bool)[rows]
    own, asked = (blocks.shape(each)[index, blocks.moved[index]] for each in (joined.outputs, joined.asked))
    ahead = blocks.shape(np.concatenate([each[-1].outputs for each in answers]).astype(np.float64))[index]
    best = ahead[np.arange(len(index)), ahead.mean(axis=2).argmax(axis=1)]
    return fit_quantiles(own, asked, tape.rewards[rows], ended, best, GAMMAS)
