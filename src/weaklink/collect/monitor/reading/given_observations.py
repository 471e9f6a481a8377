"""What networks are given, beside what the environments gave in the same rows: changed on one of two sides, or ruined.

A policy may scale, normalise and clip its observations as it likes, but in the same way when it acts and when it
learns, and so that something of them is left.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from weaklink.base.evidence.flaw_kinds import (
    BY_VARIANCE,
    CHANGED_ACTING,
    CHANGED_LEARNING,
    CUT_ROWS,
    LOST_COLUMNS,
    ONE_OBSERVATION,
    ROLLOUT_SCALES,
    SCALED_AWAY,
)
from weaklink.base.evidence.recovered import RecoveredFlaw
from weaklink.base.evidence.rollout import Array
from weaklink.base.evidence.update import UNMATCHED, UpdateReading
from weaklink.collect.monitor.reading.lines import fit_column_lines, measure_spread
from weaklink.collect.monitor.reading.tape_rows import count_steps_before, name_acting, read_acting

OF_OBSERVATIONS = (
    BY_VARIANCE, CHANGED_ACTING, CHANGED_LEARNING, CUT_ROWS, LOST_COLUMNS, ONE_OBSERVATION, ROLLOUT_SCALES,
    SCALED_AWAY,
)  # fmt: skip

FEWEST = 32
"""Rows that must show one and the same thing."""

NEARLY_ALL, NEARLY_NONE = 0.99, 0.01

OTHER_ANSWERS = 0.05
"""How far answers to the same rows lie apart, as a share of their spread, from which on they are other answers."""

SMALL, SCALED = 0.02, 0.05
"""Inputs that are no larger than the former hardly move the first layer of any network, whose weights are of the order
of one over the root of its inputs; and they count where the trainer itself made them so small, by the latter factor."""

SAME_SCALE = 1e-5
"""How far inputs may lie from the observations times one number: a division in single precision."""

STANDARD = 2e-3
"""How far means may lie from 0 and spreads from 1 where rows were scaled by their own: a spread with one row less."""

APART = 0.05
"""How far inputs for acting lie from those for learning, as a share of their spread, from which on they are others."""

FOLLOWED, NEAR, NEARER, GROWING, UNLIKE = 0.1, 0.2, 0.3, 0.1, 0.7
"""What a scale and an offset may leave of a column; and, in logarithms, how near scales must be to one over variances,
by how much nearer than to one over the spread, how both grow with how unlike the spreads of columns are, and how unlike
these must be."""

MOSTLY = 0.5
"""The share of different observations among those acted on from which on rows should differ, too."""


@dataclass(frozen=True, slots=True, eq=False)
class GivenRows:
    """What a head was given by row of the tape, NaN where it was not asked.

    Attributes:
        acted: (rows, columns) while collecting.
        learned: (rows, columns) in the loss, before anything was learned since.
        answers: (rows, k) of the loss, before anything was learned since.
        inputs: (n, columns) all that the loss was given, whether it is on the tape or not.
    """

    acted: Array
    learned: Array
    answers: Array
    inputs: Array


def find_observation_flaws(reading: UpdateReading) -> tuple[tuple[RecoveredFlaw, ...], bool]:
    """What was done to the observations of every head, each kind once a head; and whether it would have shown."""
    found: list[RecoveredFlaw] = []
    told = False
    for head in reading.heads:
        given = _read_given(reading, head)
        if given is not None:
            told = True
            found += _judge(reading, head, given)
    return tuple(found), told


def _read_given(reading: UpdateReading, head: str) -> GivenRows | None:
    """The inputs of a head that takes in observations alone; None where it does not, or too few rows are known."""
    observations = reading.tape.observations
    width = observations.shape[1]
    calls = [call for call in reading.of_head(head) if call.inputs.shape[1] == width and not call.climbed]
    if not calls or not np.issubdtype(observations.dtype, np.floating):
        return None
    collected, acting = count_steps_before(reading), name_acting(reading, head)
    acted, learned = (np.full(observations.shape, np.nan) for _ in range(2))
    answers = np.full((len(observations), calls[0].outputs.shape[1]), np.nan)
    for answer in reading.answers:
        known = answer.rows != UNMATCHED
        known[known] = collected[answer.rows[known]] == answer.step
        if answer.head == acting and answer.inputs.shape[1] == width:
            acted[answer.rows[known]] = answer.inputs[known]
    for call in calls:
        known = call.rows != UNMATCHED
        known[known] = collected[call.rows[known]] == call.moment
        if call.outputs.shape[1] == answers.shape[1]:
            learned[call.rows[known]], answers[call.rows[known]] = call.inputs[known], call.outputs[known]
    inputs = np.concatenate([call.inputs for call in calls])
    return GivenRows(acted, learned, answers, inputs) if len(inputs) >= FEWEST else None


def _judge(reading: UpdateReading, head: str, given: GivenRows) -> Iterator[RecoveredFlaw]:
    if not np.any(given.inputs):
        return  # rows of zeros alone may be those that a buffer has not filled
    alone = _count_different(given)
    if alone is not None:
        yield RecoveredFlaw(kind=ONE_OBSERVATION, head=head, count=len(given.inputs), of=alone[1], number=alone[0])
    elif _are_cut(given):
        yield RecoveredFlaw(kind=CUT_ROWS, head=head, count=len(given.inputs), of=len(given.inputs))
    else:
        sides = tuple(_compare_sides(reading, head, given))
        # statistics that run on are those of the first rollout, too
        if not sides and reading.update > 1 and _has_own_scales(given):
            sides = (RecoveredFlaw(kind=ROLLOUT_SCALES, head=head, count=len(given.inputs), of=len(given.inputs)),)
        yield from sides
        yield from _compare_sizes(reading.tape.observations, head, given)
        yield from _find_lost(reading, head, given)
        yield from _compare_spreads(reading.tape.observations, head, given)


def _count_different(given: GivenRows) -> tuple[int, int] | None:
    """How many different observations a loss is given, and how many of them it acted on, where it has hardly any."""
    acted = given.acted[np.isfinite(given.acted).all(axis=1)]
    if len(acted) < FEWEST:
        return None
    kept, real = (len(np.unique(each, axis=0)) for each in (given.inputs, acted))
    most = max(1.0, NEARLY_NONE * min(real, len(given.inputs)))
    return (kept, real) if real >= MOSTLY * len(acted) and kept <= most else None


def _has_own_scales(given: GivenRows) -> bool:
    """Whether all columns in the loss have a mean of 0 and a spread of 1, while those that were acted on differ."""
    moving = given.inputs.std(axis=0) > 0.0
    inputs = given.inputs[:, moving].astype(np.float64)
    known = np.isfinite(given.acted).all(axis=1) & np.isfinite(given.learned).all(axis=1)
    if known.sum() < FEWEST or not moving.any():
        return False
    apart = np.median(np.abs(given.acted - given.learned)[known][:, moving], axis=0)
    standard = np.abs(inputs.mean(axis=0)).max() <= STANDARD and np.abs(inputs.std(axis=0) - 1.0).max() <= STANDARD
    return bool(standard and apart.max() > APART)


def _are_cut(given: GivenRows) -> bool:
    """Whether a loss is given whole numbers alone, those of inputs with fractions that the policy acted on."""
    acted = given.acted[np.isfinite(given.acted).all(axis=1)]
    if len(acted) < FEWEST or np.any(given.inputs != np.round(given.inputs)):
        return False
    if np.mean(np.any(acted != np.round(acted), axis=1)) < NEARLY_ALL:
        return False
    wanted = {row.tobytes() for row in np.unique(given.inputs + 0.0, axis=0).astype(np.float64)}
    for cut in (np.trunc, np.round, np.floor):
        if wanted <= {row.tobytes() for row in np.unique(cut(acted) + 0.0, axis=0).astype(np.float64)}:
            return True
    return False


def _compare_sides(reading: UpdateReading, head: str, given: GivenRows) -> Iterator[RecoveredFlaw]:
    """Observations that are those of the environment on one side, and changed on the other."""
    known = np.isfinite(given.acted).all(axis=1) & np.isfinite(given.learned).all(axis=1)
    before = read_acting(reading, head)
    if known.sum() < FEWEST or before is None or before.shape != given.answers.shape:
        return
    raw = reading.tape.observations[known].astype(given.inputs.dtype).astype(np.float64)
    acted, learned = (float(np.mean(np.all(each[known] == raw, axis=1))) for each in (given.acted, given.learned))
    apart = float(np.sqrt(np.nanmean((given.answers - before)[known] ** 2)))
    share = apart / max(measure_spread(before[known]), 1e-30)
    if not np.isfinite(share) or share < OTHER_ANSWERS:
        return  # a network may change what it is given itself
    for kind, whole, other in ((CHANGED_ACTING, learned, acted), (CHANGED_LEARNING, acted, learned)):
        if whole >= NEARLY_ALL and other <= NEARLY_NONE:
            count = int(known.sum())
            yield RecoveredFlaw(kind=kind, head=head, count=count, of=count, number=share)


def _find_lost(reading: UpdateReading, head: str, given: GivenRows) -> Iterator[RecoveredFlaw]:
    """Columns that differ from row to row where the environment gives them, and are one number for the network.

    Before the first update a running normaliser may have seen nothing yet, so that its bounds cut columns off.
    """
    table = np.where(np.isfinite(given.acted), given.acted, given.learned)
    known = np.isfinite(table).all(axis=1)
    if known.sum() < FEWEST:
        return
    still = np.ptp(table[known], axis=0) == 0.0
    numbers = [len(np.unique(column)) for column in reading.tape.observations[known].T]
    sizes = np.abs(table[known]).max(axis=0)
    cut = (sizes == sizes.max()) if reading.update == 1 else np.zeros(len(sizes), dtype=bool)
    lost = np.flatnonzero(still & ~cut & (np.asarray(numbers) >= FEWEST))
    if len(lost) and not still.all():
        yield RecoveredFlaw(
            kind=LOST_COLUMNS, head=head, count=len(lost), of=len(still), number=float(lost[0]),
            other=float(table[known][0, lost[0]]),
        )  # fmt: skip


def _compare_spreads(observations: Array, head: str, given: GivenRows) -> Iterator[RecoveredFlaw]:
    """Columns that a normaliser divides by their variance instead of by their standard deviation.

    The scale of each is then one over the square of its spread, whatever its units are.
    """
    table = np.where(np.isfinite(given.acted), given.acted, given.learned)
    known = np.isfinite(table).all(axis=1)
    if known.sum() < FEWEST:
        return
    raw = observations[known].astype(np.float64)
    lines = fit_column_lines(raw, table[known])
    spreads = raw.std(axis=0)
    moving = (spreads > 0.0) & (lines.scales > 0.0) & (np.nan_to_num(lines.left, nan=np.inf) <= FOLLOWED)
    if moving.sum() < 2 or moving.mean() < MOSTLY:
        return
    scales, logs = np.log(lines.scales[moving]), np.log(spreads[moving])
    right, wrong = np.abs(scales + logs).max(), np.abs(scales + 2.0 * logs).max()
    unlike = float(np.ptp(logs))
    if wrong <= NEAR + GROWING * unlike and right >= wrong + NEARER + GROWING * unlike and unlike >= UNLIKE:
        most = float(np.exp(np.abs(logs)).max())
        yield RecoveredFlaw(kind=BY_VARIANCE, head=head, count=len(raw), of=int(moving.sum()), number=most)


def _compare_sizes(observations: Array, head: str, given: GivenRows) -> Iterator[RecoveredFlaw]:
    """Observations of which hardly anything is left: all columns are divided by one number that is far too large."""
    table = np.where(np.isfinite(given.acted), given.acted, given.learned)
    known = np.isfinite(table).all(axis=1)
    if known.sum() < FEWEST:
        return
    table, raw = table[known], observations[known].astype(np.float64)
    square = float(np.sum(raw**2))
    scale = float(np.sum(raw * table)) / square if square > 0.0 else 0.0
    largest = float(np.sqrt(np.mean(table**2, axis=0).max()))
    same = np.abs(table - scale * raw).max() <= SAME_SCALE * abs(scale) * np.abs(raw).max()
    if same and 0.0 < abs(scale) <= SCALED and largest <= SMALL:
        yield RecoveredFlaw(kind=SCALED_AWAY, head=head, count=len(table), of=round(1.0 / scale), number=largest)
