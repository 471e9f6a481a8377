"""An attribute that actions move, that nothing shows, and that decides what is seen next, as a speed does.

What moves by itself, a clock or the weather, may be left out on purpose. What the agent steers is its own doing. Whole
numbers are places, turns and counts, which tasks for memory hide by design: a speed is hardly ever one.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from weaklink.base.evidence.held import Flags, HeldState, Ints
from weaklink.base.evidence.series import Array
from weaklink.base.evidence.survey import Survey
from weaklink.judge.rules._words import join_names
from weaklink.judge.rules.observation._prediction import (
    encode,
    measure_unexplained,
    split_episodes,
    standardise_columns,
)

FEWEST_STEPS, FEWEST_EPISODES = 500, 8
WIDEST = 12  # columns above which a fit of this size cannot follow the dynamics of a healthy task either
MOST_NUMBERS = 8  # of an attribute: with more the fit has no room

HIDDEN = 0.25  # of the variance of an attribute, left open by all that is seen: less is known
STEERED = 0.9  # of the variance of its change, left open by the action alone: more may be chance
STILL = 1e-9  # of its size: what changes by less does not


class SteeredAttribute(NamedTuple):
    """A column, the hidden attribute that decides its change, and the share left open without and with it."""

    column: int
    names: str
    left_open: float
    known: float


def find_steered(survey: Survey, left_open: float, closed: float) -> SteeredAttribute | None:
    """The hidden attribute that closes most of what observation and action leave open of a column's change."""
    held, action = survey.held, survey.action
    if held is None or action is None or not _is_fit(survey, held):
        return None
    half = split_episodes(np.repeat(np.arange(len(held.lengths)), held.lengths))
    change, moving = _scale_changes(held.observations, held.successors)
    acted = standardise_columns(encode(action.columns, held.actions))
    if half is None or not len(moving) or not acted.shape[1]:
        return None
    seen = standardise_columns(held.observations)
    present = np.concatenate([acted, seen], axis=1)
    alone = np.minimum(measure_unexplained(present, change, half), 1.0)
    if float(alone.max()) <= left_open:
        return None
    found = []
    for name, columns in held.attributes.items():
        chosen = _select_hidden(held, columns[held.finite[columns]], seen, acted, half)
        if not 0 < len(chosen) <= MOST_NUMBERS:
            continue
        known = measure_unexplained(np.concatenate([present, held.before[:, chosen]], axis=1), change, half)
        worst = int(np.argmax(np.where(known <= closed * alone, alone, 0.0)))
        if alone[worst] > left_open and known[worst] <= closed * alone[worst]:
            told = [name] if len(chosen) == len(columns) else [held.labels[place] for place in chosen.tolist()]
            names = join_names(f"`{each}`" for each in told)
            found.append(SteeredAttribute(int(moving[worst]), names, float(alone[worst]), float(known[worst])))
    return max(found, key=lambda one: one.left_open - one.known, default=None)


def _is_fit(survey: Survey, held: HeldState) -> bool:
    rows = held.observations
    if len(rows) < FEWEST_STEPS or len(held.lengths) < FEWEST_EPISODES or rows.shape[1] > WIDEST:
        return False
    numbers = all(column.kind in ("number", "binary") for column in survey.columns)
    return numbers and bool(np.isfinite(rows).all() and np.isfinite(held.successors).all())


def _scale_changes(before: Array, after: Array) -> tuple[Array, Ints]:
    """How much each column changes in a step, in units of its spread, and which do."""
    change = after - before
    spread = change.std(axis=0)
    moving = np.flatnonzero(spread > STILL * (1.0 + np.abs(before).max(axis=0, initial=0.0)))
    return change[:, moving] / spread[moving], moving


def _select_hidden(held: HeldState, columns: Ints, seen: Array, acted: Array, half: Flags) -> Ints:
    """The numbers of an attribute that the action moves and that what is seen does not tell."""
    change, moving = _scale_changes(held.before[:, columns], held.after[:, columns])
    if not len(moving):
        return moving
    columns = columns[moving]
    before = held.before[:, columns]
    whole = np.all(before == np.round(before), axis=0)
    hidden = measure_unexplained(seen, before / np.maximum(before.std(axis=0), 1e-300), half) > HIDDEN
    return np.asarray(columns[~whole & hidden & (measure_unexplained(acted, change, half) < STEERED)])
