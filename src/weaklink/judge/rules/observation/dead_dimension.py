from __future__ import annotations

import numpy as np

from weaklink.base.evidence.spaces import Space
from weaklink.base.evidence.survey import CUT, Flags, Survey
from weaklink.judge.rules._healthy import compare_with_healthy
from weaklink.judge.rules.observation._columns import (
    DEAD,
    ColumnStatistics,
    group_adjacent,
    label_column,
    list_columns,
    list_plays,
    measure_columns,
    read_bounds,
)
from weaklink.judge.rules.reward._plays import mark_terminations
from weaklink.judge.rules.writing import HIGH, MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule

FEWEST_ENDS = 20  # episodes that terminated
AT_GOAL = 0.02  # of the range of what moves: it is at the goal

LONGEST_RUN = 2  # more adjacent constant columns than this are a block: padding, a fixed goal, an idle sensor


@rule(
    "OBS102",
    link=Link.OBSERVATION,
    level=Level.WARN,
    on=Survey,
    needs=("observation", "random"),
    leads_to=("OBS103", "OBS110"),
    marks=("excused by learning",),
)
def dead_dimension(survey: Survey, *, std: float = DEAD, steps: int = 1000, few: int = 4) -> Answer:
    """Some observation columns never change.

    ## What it sees
    Columns whose standard deviation stays below 1e-6 over 1,000 steps or more, under every policy that was tried. It
    warns about a few single numbers that are constant. Categories, flags, pixels, integers, goals (by name, or
    because another column has that very value wherever episodes terminate), values that rest on their declared bound,
    blocks or large groups of columns, and all of them where no episode ended, are info only: they are often padding or
    sensors that have not been triggered yet. But it warns of any of these where the constant columns of an observation
    of plain numbers are, for each one that changes, three times as many as in every healthy environment known (whole
    blocks without content).

    ## Why it is bad
    A number that was meant to carry information carries none, so the policy misses it. A normaliser divides by a
    standard deviation of almost 0: the first time the column does change, the network gets an enormous input.

    ## What to do
    1. Look at how the column is filled. A wrong index, a unit that rounds it to 0 and a sensor that is never read are
       the usual causes.
    2. If it cannot change by design, leave it out.
    3. Keep a lower limit for the standard deviation in the normaliser, and clip its output.

    ## How to prove it
    Put the simulation into two states that must differ in this column and print it for both. `weaklink preflight ENV`
    shows which columns are constant.

    ## When it is wrong
    A short survey does not reach every state: a contact sensor, a key that has not been found yet, a parameter that is
    fixed in this version of the task.

    ## References
    Stable-Baselines3 issue #416; Gymnasium removed columns that are always 0 from its MuJoCo tasks in v5.
    """
    seen = measure_columns(survey)
    if seen is None:
        return CannotTell(("observation",), "no observation was kept as numbers")
    if seen.steps < steps:
        return CannotTell(("random",), f"only {seen.steps:,} of {steps:,} steps")
    dead = np.flatnonzero(seen.std < std).tolist()
    if not dead or bool(np.all(seen.least == seen.most)):  # OBS101 reports where all columns are constant
        return None
    shown, level, sure, why = _rate(survey, seen, dead, few)
    return Finding(
        message=f"{_describe(survey, seen, shown)}{why}.",
        level=level,
        confidence=sure,
        evidence=tuple(
            Evidence(metric=f"{label_column(survey, each)} std", value=float(seen.std[each]), limit=std)
            for each in shown[:few]
        ),
    )


def _rate(survey: Survey, seen: ColumnStatistics, dead: list[int], few: int) -> tuple[list[int], Level, float, str]:
    """Which of the constant columns to show, how bad they are, how sure that is, and why."""
    if len(dead) == len(seen.std) and set(survey.column_kinds) == {"number"}:
        return dead, Level.WARN, HIGH, f": to a network all of it is constant (spread {float(seen.std.max()):.1g})"
    share = measure_dead_share(survey)
    standing = None if share is None else compare_with_healthy("observation.dead_per_live", share)
    if standing is not None and standing.beyond:
        return dead, Level.WARN, HIGH, f" ({standing.words})"
    if all(bool(np.all(each.play.ends == CUT)) for each in list_plays(survey)):
        return dead, Level.INFO, MEDIUM, ", though no episode ended: what a reset draws was seen once for each policy"
    odd = _find_unexpected(survey, seen, dead)
    single = all(last - first < LONGEST_RUN for first, last in group_adjacent(dead))
    return (odd, Level.WARN, MEDIUM, "") if 0 < len(odd) <= few and single else (dead, Level.INFO, HIGH, "")


def _describe(survey: Survey, seen: ColumnStatistics, shown: list[int]) -> str:
    still = bool(np.all(seen.least[shown] == seen.most[shown]))
    value = f" (always {seen.least[shown[0]]:.4g})" if len(shown) == 1 and still else ""
    policies = len(list_plays(survey))
    return (
        f"{len(shown)} of {len(seen.std):,} observation columns {'never' if still else 'hardly'} change over "
        f"{seen.steps:,} steps under {f'{policies} policies' if policies > 1 else 'one policy'}: "
        f"{list_columns(survey, shown)}{value}"
    )


def _find_unexpected(survey: Survey, seen: ColumnStatistics, dead: list[int]) -> list[int]:
    """Finds the constant columns without an innocent reason."""
    space = survey.observation
    low, high = read_bounds(survey)
    if space is None or survey.seen_columns is not None or len(low) != len(seen.std):
        return []
    whole, goals = _mark_integers(space), _mark_goals(space)
    flags, reached = _mark_flags(survey), _mark_fixed_goals(survey, seen)
    return [
        column
        for column in dead
        if survey.column_kinds[column] == "number"
        and not (whole[column] or goals[column] or flags[column] or reached[column])
        and seen.least[column] not in (low[column], high[column])
    ]


def measure_dead_share(survey: Survey) -> float | None:
    """How many constant columns there are for each one that changes, where all are plain numbers; else None."""
    seen, space = measure_columns(survey), survey.observation
    if seen is None or space is None or survey.seen_columns is not None or len(seen.std) != len(survey.column_kinds):
        return None
    plain = set(survey.column_kinds) == {"number"} and not any(_mark_integers(space)) and not _mark_flags(survey).any()
    dead = int(np.count_nonzero(seen.std < DEAD))
    return dead / (len(seen.std) - dead) if plain and dead < len(seen.std) else None


def _mark_integers(space: Space) -> list[bool]:
    """For each column whether its dtype is integer: codes and counts rather than measurements."""
    if space.parts:
        return [each for part in space.parts.values() for each in _mark_integers(part)]
    return [space.dtype.startswith(("int", "uint", "bool"))] * space.size


def _mark_goals(space: Space) -> list[bool]:
    """For each column whether it belongs to a goal, which may be fixed in part or altogether."""
    if not space.parts:
        return [False] * space.size
    return [
        each
        for key, part in space.parts.items()
        for each in ([True] * part.size if key.endswith("goal") else _mark_goals(part))
    ]


def _mark_fixed_goals(survey: Survey, seen: ColumnStatistics) -> Flags:
    """For each column whether it is where something moves to: wherever an episode terminates, another column is it."""
    width = len(seen.std)
    rows = [(each.after[:, :width], mark_terminations(each.play)[: len(each.after)]) for each in list_plays(survey)]
    ends = np.concatenate([after[end] for after, end in rows])
    marks = np.zeros(width, dtype=bool)
    moving = np.flatnonzero(seen.std >= DEAD)
    if len(ends) < FEWEST_ENDS or not len(moving):
        return marks
    reach = AT_GOAL * (seen.most - seen.least)[moving]
    for column in np.flatnonzero(seen.std < DEAD):
        there = np.all(np.abs(ends[:, moving] - seen.least[column]) <= reach, axis=0)
        wide = np.maximum(seen.most[moving] - seen.least[column], seen.least[column] - seen.least[moving]) > 2 * reach
        marks[column] = bool(np.any(there & wide))
    return marks


def _mark_flags(survey: Survey) -> Flags:
    """For each column whether it is always 0 or 1 in an observation that mostly consists of such flags."""
    blocks = [each.before for each in list_plays(survey)]
    binary = np.asarray(np.logical_and.reduce([((rows == 0.0) | (rows == 1.0)).all(axis=0) for rows in blocks]))
    moving = np.asarray(np.logical_or.reduce([(rows != rows[0]).any(axis=0) for rows in blocks]))
    mostly = bool(moving.any()) and float(np.mean(binary[moving])) > 0.5
    return binary & mostly
