from __future__ import annotations

import numpy as np

from weaklink.base.evidence.spaces import Space
from weaklink.base.evidence.survey import Flags, Survey
from weaklink.base.finding import HIGH, MEDIUM, Answer, CannotTell, Evidence, Finding, Level
from weaklink.base.loop import Link
from weaklink.judge.rules._registry import rule
from weaklink.judge.rules.observation._columns import (
    DEAD,
    Columns,
    bounds_of,
    columns_of,
    label,
    named,
    played,
    runs_of,
)

LONGEST_RUN = 2
"""Neighbours that stand still together and are more than this are a block: padding, a fixed goal, an idle sensor."""


@rule(
    "OBS102",
    link=Link.OBSERVATION,
    level=Level.WARN,
    on=Survey,
    needs=("observation", "random"),
    leads_to=("OBS103", "OBS110"),
)
def dead_dimension(survey: Survey, *, std: float = DEAD, steps: int = 1000, few: int = 4) -> Answer:
    """Columns of the observation never move.

    ## What it sees
    Columns whose standard deviation stays below 1e-6 over 1,000 steps and more, under every policy that was tried. It
    warns of a few single numbers that stand still. Choices, flags, pixels, whole numbers, goals, values that rest on
    their declared bound, and blocks or large groups of columns are only worth knowing: they are often padding or
    sensors that have not met anything yet.

    ## Why it is bad
    A number that was meant to say something says nothing, so the policy misses it. A normaliser divides by its
    spread of almost 0: the first time it does move, the network sees an enormous input.

    ## What to do
    1. Look at how the column is filled. A wrong index, a unit that rounds it to 0 and a sensor that is never
       read are the usual causes.
    2. If it cannot move by design, leave it out.
    3. Keep a lower limit for the spread in the normaliser, and clip what it gives out.

    ## How to prove it
    Put the simulation into two states that must differ in this column and print it for both.
    `weaklink preflight ENV` shows which columns stand still.

    ## When it is wrong
    A short survey does not reach every state: a contact sensor, a key that is not found yet, a parameter that is fixed
    for this version of the task.

    ## References
    Stable-Baselines3 issue #416; Gymnasium removed columns that are always 0 from its MuJoCo tasks in v5.
    """
    seen = columns_of(survey)
    if seen is None:
        return CannotTell(("observation",), "no observation was kept as numbers")
    if seen.steps < steps:
        return CannotTell(("random",), f"only {seen.steps:,} of {steps:,} steps")
    dead = np.flatnonzero(seen.std < std)
    if not len(dead) or bool(np.all(seen.least == seen.most)):  # where all stand still OBS101 has its say
        return None
    odd = _unexpected(survey, seen, dead.tolist())
    few_and_single = len(odd) <= few and all(last - first < LONGEST_RUN for first, last in runs_of(dead.tolist()))
    warn = bool(odd) and few_and_single and survey.seen_columns is None
    shown = odd if warn else dead.tolist()
    column = shown[0]
    still = bool(np.all(seen.least[shown] == seen.most[shown]))
    return Finding(
        message=f"{len(shown)} of {len(seen.std):,} observation columns {'never' if still else 'hardly'} move over "
        f"{seen.steps:,} steps under {_counted(len(played(survey)))}: {named(survey, shown)}"
        f"{f' (always {seen.least[column]:.4g})' if len(shown) == 1 and still else ''}.",
        level=Level.WARN if warn else Level.INFO,
        confidence=MEDIUM if warn else HIGH,
        evidence=tuple(
            Evidence(metric=f"{label(survey, each)} std", value=float(seen.std[each]), limit=std)
            for each in shown[:few]
        ),
    )


def _counted(policies: int) -> str:
    return f"{policies} policies" if policies > 1 else "one policy"


def _unexpected(survey: Survey, seen: Columns, dead: list[int]) -> list[int]:
    """The columns that stand still without an innocent reason."""
    space = survey.observation
    low, high = bounds_of(survey)
    if space is None or survey.seen_columns is not None or len(low) != len(seen.std):
        return []
    whole, goals = _whole(space), _goals(space)
    flags = _flags(survey)
    return [
        column
        for column in dead
        if survey.column_kinds[column] == "number"
        and not (whole[column] or goals[column] or flags[column])
        and seen.least[column] not in (low[column], high[column])
    ]


def _whole(space: Space) -> list[bool]:
    """For each column whether it holds whole numbers by its type: codes and counts rather than measurements."""
    if space.parts:
        return [each for part in space.parts.values() for each in _whole(part)]
    return [space.dtype.startswith(("int", "uint", "bool"))] * space.size


def _goals(space: Space) -> list[bool]:
    """For each column whether it belongs to a goal, which may be the same in part or for ever."""
    if not space.parts:
        return [False] * space.size
    return [
        each
        for key, part in space.parts.items()
        for each in ([True] * part.size if key.endswith("goal") else _goals(part))
    ]


def _flags(survey: Survey) -> Flags:
    """For each column whether it stands at 0 or 1 in an observation that is mostly made of such flags."""
    blocks = [each.before for each in played(survey)]
    binary = np.asarray(np.logical_and.reduce([((rows == 0.0) | (rows == 1.0)).all(axis=0) for rows in blocks]))
    moving = np.asarray(np.logical_or.reduce([(rows != rows[0]).any(axis=0) for rows in blocks]))
    mostly = bool(moving.any()) and float(np.mean(binary[moving])) > 0.5
    return binary & mostly
