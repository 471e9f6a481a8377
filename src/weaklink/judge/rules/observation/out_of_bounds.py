from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from weaklink.base.evidence.series import Array
from weaklink.base.evidence.survey import RANDOM, Flags, Survey
from weaklink.judge.rules.observation._columns import KeptObservations, label_column, list_plays, read_bounds
from weaklink.judge.rules.writing import HIGH, MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule

FEWEST = 500  # steps that show which values are usual

# the share of numbers at an end of their range, in one column and in all, and at each of the two ends: a body at rest
# at one of its limits is at that one alone. In no healthy environment measured is any column so often at its two ends.
CLIPPED, EACH_END = 0.5, 0.1

# different values between the bounds, and half of all values there: a switch or a code of a few levels has none or few
MEASURED = 20

FEW_LEVELS = 3  # a column of so many different values is a switch, and at its bounds by design


@dataclass(frozen=True)
class _Breach:
    """How many steps of one play are out of bounds, and the value that is furthest out.

    `excess` is the distance to the bound as a share of the width of the bounds; `hard` marks a category or pixel.
    """

    policy: str
    steps: int
    column: int
    step: int
    value: float
    excess: float
    hard: bool


@rule(
    "OBS105",
    link=Link.OBSERVATION,
    level=Level.ERROR,
    on=Survey,
    needs=("observation", "random"),
    leads_to=("ENV101", "OPT300"),
    marks=("left to trainers",),
)
def out_of_bounds(survey: Survey, *, tolerance: float = 1e-5) -> Answer:
    """Observations lie outside the space that the environment declares, or are clipped to it.

    ## What it sees
    Values below the declared low or above the declared high, by more than rounding, in random play. Numbers that leave
    their bounds only under other policies are info. A category or pixel out of range is an error under any policy. It
    is a warning where a measured number is exactly its own largest or smallest value in most steps of random play, each
    of the two in over 10 %, and most numbers of all columns are such ends: then they were clipped to a far too narrow
    range.

    ## Why it is bad
    Code that relies on the space breaks: wrappers that rescale by the bounds, one-hot encoders, buffers that store
    pixels in a byte and wrap around. Where the observation is clipped afterwards, different states look the same.

    ## What to do
    1. Find out which of the two is wrong, the value or the bound.
    2. Widen the bounds to the values that occur, including the final observation of an episode, which is often just
       past a limit.
    3. Where a value has no limit, declare the bound infinite.
    4. Where it is clipped, clip in the unit of the value, or scale it first.

    ## How to prove it
    Check `env.observation_space.contains(observation)` after each of 1,000 random steps: it must hold.
    `weaklink preflight ENV` counts the rest.

    ## When it is wrong
    Switches, one-hot codes and sensors that are mostly at their end are at their bounds by design; what counts as
    clipped has many different values between the bounds too. Bounds that nobody reads do no harm in training.
    LunarLander leaves its own when the main engine never stops.

    ## References
    Gymnasium, documentation of `Env.observation_space`; Stable-Baselines3, `check_env`.
    """
    low, high = read_bounds(survey)
    plays = list_plays(survey)
    if not plays or not len(low):
        return CannotTell(("observation",), "no observation was kept as numbers")
    below, above = (tolerance * np.maximum(1.0, np.where(np.isfinite(each), np.abs(each), 0.0)) for each in (low, high))
    hard = np.array([kind != "number" for kind in survey.column_kinds], dtype=bool)
    found = list(filter(None, (_find_breach(each, low - below, high + above, hard) for each in plays)))
    if not found:
        return _judge_clipping(survey, low, high)
    worst = max(found, key=lambda each: (each.hard, each.policy == RANDOM, each.excess))
    under = worst.value < low[worst.column]
    bound = float((low if under else high)[worst.column])
    outside, made = sum(each.steps for each in found), sum(len(each.after) for each in plays)
    error = worst.hard or worst.policy == RANDOM
    return Finding(
        message=f"{outside:,} of {made:,} observations lie outside their declared bounds; the worst is "
        f"{label_column(survey, worst.column)} with {worst.value:.5g} at step {worst.step:,} of {worst.policy} play, "
        f"{'below' if under else 'above'} its bound of {bound:.5g}.",
        level=Level.ERROR if error else Level.INFO,
        confidence=HIGH if error else MEDIUM,
        evidence=(
            Evidence(metric=label_column(survey, worst.column), value=worst.value, limit=bound, step=worst.step),
            Evidence(metric="observation.out_of_bounds", value=float(outside), limit=0.0),
        ),
    )


def _find_breach(kept: KeptObservations, low: Array, high: Array, hard: Flags) -> _Breach | None:
    """Finds what is out of bounds in one play, in the next observations of its steps or else in those of its resets."""
    for rows in (kept.after, kept.before):
        if rows.shape[1] != len(low):
            continue
        with np.errstate(invalid="ignore", over="ignore"):
            excess = np.where(np.isfinite(rows), np.maximum(low - rows, rows - high), -np.inf)
            width = np.where(np.isfinite(high - low), np.maximum(high - low, 1.0), 1.0)
        outside = excess > 0
        if not outside.any():
            continue
        columns = np.flatnonzero(outside.any(axis=0))
        columns = columns[hard[columns]] if hard[columns].any() else columns
        share = excess[:, columns] / width[columns]
        step, place = (int(part) for part in np.unravel_index(int(np.argmax(share)), share.shape))
        column, steps = int(columns[place]), int(np.count_nonzero(outside.any(axis=1)))
        value = float(rows[step, column])
        return _Breach(kept.policy, steps, column, step, value, float(share[step, place]), bool(hard[column]))
    return None


def _judge_clipping(survey: Survey, low: Array, high: Array) -> Finding | None:
    """Whether most of what is seen is a bound: of one measured column at the least, and of all columns together."""
    rows = survey.plays[RANDOM].successors
    if rows is None or rows.shape[1] != len(low) or len(rows) < FEWEST or set(survey.column_kinds) != {"number"}:
        return None
    clipped = [column for column in range(rows.shape[1]) if _is_clipped(rows[:, column])]
    measured = [column for column in range(rows.shape[1]) if not _is_flag(rows[:, column])]
    if not clipped:
        return None
    ends = np.unique([[rows[:, column].min(), rows[:, column].max()] for column in clipped])
    at_ends = np.isin(rows, ends)
    for column in measured:
        at_ends[:, column] |= np.isin(rows[:, column], [low[column], high[column]])
    shares = at_ends.mean(axis=0)
    together = float(shares[measured].mean())
    if together < CLIPPED:
        return None
    column = max(clipped, key=lambda place: float(shares[place]))
    values = rows[:, column]
    return Finding(
        message=f"{together:.0%} of the numbers in {len(rows):,} observations are the largest or smallest that their "
        f"column ever holds; {label_column(survey, column)} is {values.min():.4g} or {values.max():.4g} in "
        f"{shares[column]:.0%} of them: it is clipped, and different states look the same.",
        level=Level.WARN,
        confidence=HIGH,
        evidence=(Evidence(metric="observation.at_bounds", value=together, limit=CLIPPED),),
    )


def _is_clipped(values: Array) -> bool:
    """Whether a measured number is mostly at its own smallest or largest value, and often at each of the two."""
    lower, upper = values == values.min(), values == values.max()
    inside = values[~(lower | upper)]
    if min(lower.mean(), upper.mean()) < EACH_END or (lower | upper).mean() < CLIPPED:
        return False
    return len(np.unique(inside)) >= max(MEASURED, len(inside) / 2)


def _is_flag(values: Array) -> bool:
    """Whether a column switches between a few values only; one that never changes may be clipped all the time."""
    return 1 < len(np.unique(values)) <= FEW_LEVELS
