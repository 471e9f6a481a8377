"""What chose the actions: for every step that was collected, what the networks had answered right before it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from weaklink.base.evidence.recovered import ACTION_VALUES, DROWNED, NO_NOISE, RecoveredFlaw, RecoveredValues
from weaklink.base.evidence.rollout import Array
from weaklink.base.evidence.update import UNMATCHED, UpdateReading
from weaklink.collect.monitor.reading.lines import fit_column_lines
from weaklink.collect.monitor.reading.tape_rows import TakenActions

FEWEST, FEWEST_AT_FIRST = 8, 32
"""Steps that must tell: of any update, and of the first one, for which more is collected."""

FEWEST_DROWNED, MOSTLY_CLIPPED, UNFOLLOWED = 8, 0.8, 0.9
"""Steps that must tell, the share of actions at a bound, and what a line in the actor's answers must leave of their
spread, for noise to be all that is left: with a spread of a tenth to a half of the space none of it holds."""

NEARLY_ALL = 0.9
"""The share of the steps of the first update that must be an actor's own; a single random one may come before."""

RECENT = 1_000
"""Steps after which an action tells nothing of the network as it is now."""

BEYOND_CHANCE = 3.0
"""Standard errors by which actions must agree with a network more often than chance has it."""

EXACTLY = 1e-5
"""What may be left of the range of an action that is a network's answer in single precision."""

STILL = 1e-3
"""The range below which answers, or actions, are all alike."""


def read_random_share(
    reading: UpdateReading, taken: TakenActions, critics: Sequence[RecoveredValues]
) -> tuple[float, int] | None:
    """The share of actions that were drawn at random instead of being the best one, and how many were looked at.

    Where a network was asked, a random action is the best one by chance now and then; where none was, it is random.
    None where that cannot be told, as where something else than the networks that were heard chooses.
    """
    heads = [each.head for each in critics if each.kind == ACTION_VALUES]
    rows = _find_collected(reading)
    if not heads or not taken.discrete or len(rows) < FEWEST:
        return None
    width = reading.of_head(heads[0])[0].outputs.shape[1]
    best, asked = np.zeros(reading.tape.rows, bool), np.zeros(reading.tape.rows, bool)
    for stamp, outputs in _list_asked(reading):
        there = rows[reading.tape.stamps[rows] == stamp]
        if len(there) == len(outputs) and outputs.shape[1] == width:
            asked[there] = True
            best[there] |= outputs.argmax(axis=1) == taken.table[there, 0]
    if not asked.any() and _agrees(reading, taken, heads):
        return None
    other = int(np.count_nonzero(asked & ~best)) * width / (width - 1)
    drawn = len(rows) - int(np.count_nonzero(asked)) + min(other, np.count_nonzero(asked))
    return float(drawn) / len(rows), len(rows)


def find_noise_flaws(reading: UpdateReading, taken: TakenActions) -> tuple[RecoveredFlaw, ...]:
    """Actors that climb a critic and whose actions have no noise at all from the start, or are nothing but noise."""
    rows = _find_collected(reading)
    climbs = any(call.climbed for call in reading.calls)
    if taken.discrete or not climbs or len(rows) < FEWEST_DROWNED:
        return ()
    width = reading.tape.observations.shape[1]
    actors = {call.head for call in reading.calls if not call.climbed and call.inputs.shape[1] == width}
    for head in sorted(actors):
        answers = _read_answered(reading, head, rows, taken.table.shape[1])
        known = rows[np.isfinite(answers[rows]).all(axis=1)]
        for kind, shows in ((NO_NOISE, _lacks_noise), (DROWNED, _is_drowned)):
            if shows(reading, answers[known], taken.table[known]):
                return (RecoveredFlaw(kind=kind, head=head, count=len(known), of=reading.tape.rows),)
    return ()


def _read_answered(reading: UpdateReading, head: str, rows: Array, dimensions: int) -> Array:
    """(rows of the tape, dimensions) what an actor answered right before each step; NaN where it was not asked."""
    answers = np.full((reading.tape.rows, dimensions), np.nan)
    for answer in (each for each in reading.answers if each.head == head and each.outputs.shape[1] >= dimensions):
        there = rows[reading.tape.stamps[rows] == answer.stamp]
        if len(there) == len(answer.outputs):
            answers[there] = answer.outputs[:, :dimensions]
    return answers


def _lacks_noise(reading: UpdateReading, answers: Array, actions: Array) -> bool:
    """Whether an actor's own answers, but for a scale and an offset, are the actions from the start.

    A deterministic actor explores by noise alone, and an actor that draws its actions never gives the mean of them.
    Some trainers begin with random actions instead, so only what was collected for the first update is judged.
    """
    enough = len(actions) >= max(FEWEST_AT_FIRST, NEARLY_ALL * reading.tape.rows)
    return enough and reading.update == 1 and reading.tape.is_whole and _are_answers(answers, actions)


def _is_drowned(reading: UpdateReading, answers: Array, actions: Array) -> bool:
    """Whether nearly all actions lie exactly at a bound of their space and do not follow the actor's answers.

    Noise that is wider than the space leaves of an action only the side that it is clipped at.
    """
    bounds = reading.tape.bounds
    if bounds is None or bounds.shape[1] != actions.shape[1] or len(actions) < FEWEST_DROWNED:
        return False
    clipped = (actions == bounds[0]) | (actions == bounds[1])
    both = np.any(actions == bounds[0], axis=0) & np.any(actions == bounds[1], axis=0)
    left = fit_column_lines(answers.astype(np.float64), actions.astype(np.float64)).left
    return bool(np.all(clipped.mean(axis=0) >= MOSTLY_CLIPPED) and np.all(both) and np.all(left >= UNFOLLOWED))


def _find_collected(reading: UpdateReading) -> Array:
    """The rows of the tape that were collected while networks were listened to."""
    stamps = [*(call.stamp for call in reading.calls), *(answer.stamp for answer in reading.answers)]
    return np.flatnonzero(reading.tape.stamps >= min(stamps, default=0)) if stamps else np.zeros(0, np.int64)


def _list_asked(reading: UpdateReading) -> Iterator[tuple[int, Array]]:
    for answer in reading.answers:
        yield answer.stamp, answer.outputs
    for call in reading.calls:
        yield call.stamp, call.outputs


def _agrees(reading: UpdateReading, taken: TakenActions, heads: Sequence[str]) -> bool:
    """Whether actions that were taken lately are the best ones of a head that learns, more often than by chance."""
    newest = int(reading.tape.stamps[-1])
    for head in heads:
        calls = reading.of_head(head)
        rows = np.concatenate([call.rows for call in calls])
        best = np.concatenate([call.outputs.argmax(axis=1) for call in calls])
        known = rows != UNMATCHED
        known[known] = reading.tape.stamps[rows[known]] > newest - RECENT
        rows, places = np.unique(rows[known], return_index=True)
        best, actions = best[known][places], taken.table[rows, 0]
        if len(rows) < FEWEST:
            return True
        width = calls[0].outputs.shape[1]
        shares = [np.bincount(each, minlength=width)[:width] / len(rows) for each in (best, actions)]
        chance = float(shares[0] @ shares[1])
        error = np.sqrt(max(chance * (1.0 - chance), 1e-6) / len(rows))
        if float(np.mean(best == actions)) > chance + BEYOND_CHANCE * error:
            return True
    return False


def _are_answers(answers: Array, actions: Array) -> bool:
    """Whether actions follow from answers, each dimension by one scale and offset, with or without a tanh."""
    spread = np.ptp(actions, axis=0)
    if np.any(spread < STILL) or np.any(np.ptp(answers, axis=0) < STILL):
        return False
    return any(_follow(made, actions, EXACTLY * spread) for made in (answers, np.tanh(answers)))


def _follow(made: Array, actions: Array, allowed: Array) -> bool:
    lines = fit_column_lines(made.astype(np.float64), actions.astype(np.float64))
    left = np.abs(actions - lines.scales * made - lines.offsets)
    return bool(np.all(left.max(axis=0) <= allowed))
