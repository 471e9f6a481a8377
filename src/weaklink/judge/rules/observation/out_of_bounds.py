from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from weaklink.base.evidence.series import Array
from weaklink.base.evidence.survey import RANDOM, Flags, Survey
from weaklink.judge.rules.observation._columns import KeptObservations, label_column, list_plays, read_bounds
from weaklink.judge.rules.writing import HIGH, MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule

FEWEST = 500  # steps that show which values are usual

# the share of steps at a bound, and at each of the two: a body at rest at one of its limits is at that one alone
CLIPPED, EACH_END = 0.8, 0.1

# different values between the bounds, and half of all values there: a switch or a code of a few levels has none or few
MEASURED = 20


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
)
def out_of_bounds(survey: Survey, *, tolerance: float = 1e-5) -> Answer:
    """Observations lie outside the space that the environment declares, or are clipped to it.

    ## What it sees
    Values below the declared low or above the declared high, by more than rounding, in random play. Numbers that leave
    their bounds only under other policies are info. A category or pixel out of range is an error under any policy. It
    is a warning where every column that changes is a measured number, lies exactly at one of its bounds in over 80 % of
    the steps of random play, and at each of the two in over 10 %: then it was clipped to a far too narrow range.

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
    """Whether nearly all that is seen is a bound, in every column that changes."""
    rows = survey.plays[RANDOM].successors
    if rows is None or rows.shape[1] != len(low) or len(rows) < FEWEST or set(survey.column_kinds) != {"number"}:
        return None
    moving = np.flatnonzero((rows != rows[0]).any(axis=0))
    lower, upper = (np.isclose(rows[:, moving], each[moving], rtol=1e-6, atol=0.0) for each in (low, high))
    inside = rows[:, moving][~(lower | upper)].tolist()
    ends = np.minimum(lower.mean(axis=0), upper.mean(axis=0))
    clipped = (lower | upper).mean(axis=0)
    if not len(moving) or clipped.min() < CLIPPED or ends.min() < EACH_END:
        return None
    if len(set(inside)) < max(MEASURED, len(inside) / 2):
        return None
    least = int(np.argmin(clipped))
    column = int(moving[least])
    return Finding(
        message=f"Every observation column is at one of its bounds in at least {clipped[least]:.0%} of {len(rows):,} "
        f"steps, {label_column(survey, column)} at {low[column]:.4g} or {high[column]:.4g}: it is clipped, and "
        "different states look the same.",
        level=Level.WARN,
        confidence=HIGH,
        evidence=(Evidence(metric="observation.at_bounds", value=float(clipped[least]), limit=CLIPPED),),
    )
