from __future__ import annotations

import numpy as np

from weaklink.base.evidence.held import HeldState
from weaklink.base.evidence.series import Array
from weaklink.base.evidence.survey import RANDOM, Survey
from weaklink.judge.rules.writing import HIGH, Answer, CannotTell, Evidence, Finding, Level, Link, rule

FEWEST = 500  # steps: what holds in all of them is no chance

NARROWEST = 4  # columns: three phases of a current add up to 0 and keep their size by nature

MEASURED = 20  # different values of each column that changes: fewer are codes, and one-hot codes keep mean and size too

LEAST = 1e-3  # how much the mean and the deviation of what is held must vary, and how exactly it must be shown

ROUNDING = 1e-4  # the mean and the deviation of float32 numbers of size 1 are exact to about 1e-6


@rule(
    "OBS112",
    link=Link.OBSERVATION,
    level=Level.WARN,
    on=Survey,
    needs=("observation", "random"),
    leads_to=("OBS108", "OBS110", "TSK102", "TSK103", "TSK106"),
)
def row_standardised(survey: Survey) -> Answer:
    """Each observation is standardised by its own mean and deviation.

    ## What it sees
    A vector of at least four measured numbers whose mean is 0 and whose standard deviation is the same in every single
    observation, although its columns vary. Pictures, codes, flags and permutations are not judged. Or an attribute of
    the environment with as many numbers is seen in every observation less its own mean and over its own deviation,
    both of which vary: two numbers are enough for that.

    ## Why it is bad
    Two numbers of each state are lost: twice as fast, twice as far and twice as tilted look exactly like half of it,
    and so does a state shifted as a whole. Quantities of unlike units are mixed: a change of one moves all others.

    ## What to do
    1. Standardise each column over many steps, not each row over its columns: `VecNormalize`, `NormalizeObservation`,
       or fixed scales.
    2. Look for `mean()` and `std()` without `axis=0` in the code that makes observations, and for a layer norm in front
       of them.

    ## How to prove it
    Print `observation.mean()` and `observation.std()` for ten steps: both must vary. Then run `weaklink preflight ENV`
    again.

    ## When it is wrong
    Quantities that add up to zero and keep their size by nature, such as four or more phases of a current.

    ## References
    Practice; Andrychowicz et al., What Matters In On-Policy Reinforcement Learning, 2020, normalises over steps.
    """
    play = survey.plays[RANDOM]
    rows = play.successors
    if rows is None or len(rows) < FEWEST:
        return CannotTell((RANDOM,), f"fewer than {FEWEST} observations were kept")
    if not _is_vector(survey) or not np.isfinite(rows).all():
        return None
    name = _find_standardised(survey.held) if survey.held is not None else ""
    if name:
        return _describe_attribute(name, rows.shape[1])
    if not _are_measured(rows):
        return None
    means, deviations = rows.mean(axis=1), rows.std(axis=1)
    if np.abs(means).max() > ROUNDING or np.ptp(deviations) > ROUNDING or deviations.min() < 0.5:
        return None
    return Finding(
        message=f"Each of {len(rows):,} observations has mean 0 and standard deviation {deviations[0]:.3g} over its "
        f"{rows.shape[1]} columns: each is standardised by itself, so that its level and its size are lost.",
        level=Level.WARN,
        confidence=HIGH,
        evidence=(Evidence(metric="observation.row_deviation", value=float(np.ptp(deviations)), limit=ROUNDING),),
    )


def _is_vector(survey: Survey) -> bool:
    space = survey.observation
    if space is None or survey.seen_columns is not None:
        return False
    return space.kind == "box" and len(space.shape) == 1 and set(survey.column_kinds) == {"number"}


def _are_measured(rows: Array) -> bool:
    """Whether there are enough columns that vary, each over many values, and rows are no permutations of each other."""
    counts = [len(np.unique(column)) for column in rows.T]
    if rows.shape[1] < NARROWEST or min(counts) < MEASURED:
        return False
    ordered = np.sort(rows, axis=1)
    return bool(np.any(np.ptp(ordered, axis=0) > ROUNDING))


def _find_standardised(held: HeldState) -> str:
    """The attribute that each observation shows less its own mean and over its own deviation; empty where none is."""
    rows = held.observations
    if len(rows) < FEWEST:
        return ""
    for name, columns in held.attributes.items():
        if not 2 <= len(columns) == rows.shape[1] or not held.finite[columns].all():
            continue
        values = held.before[:, columns]
        means, away = values.mean(axis=1), values - values.mean(axis=1, keepdims=True)
        for spread in (values.std(axis=1), values.std(axis=1, ddof=1)):
            known = spread > LEAST
            if known.sum() < FEWEST or min(np.std(means[known]), np.std(spread[known])) < LEAST:
                continue
            if np.abs(away[known] / spread[known, None] - rows[known]).max() < LEAST:
                return name
    return ""


def _describe_attribute(name: str, width: int) -> Finding:
    lost = "only which of the two is larger is left" if width == 2 else "its level and its size are lost"
    return Finding(
        message=f"Each observation is `{name}` less its own mean and over its own standard deviation, over its {width} "
        f"columns: {lost}.",
        level=Level.WARN,
        confidence=HIGH,
        evidence=(Evidence(metric="observation.row_deviation", value=0.0, limit=ROUNDING),),
    )
