from __future__ import annotations

import numpy as np

from weaklink.base.evidence.held import Flags, HeldState
from weaklink.base.evidence.series import Array
from weaklink.base.evidence.survey import Survey
from weaklink.judge.rules.writing import HIGH, Answer, CannotTell, Evidence, Finding, Level, Link, rule

SIZES = (2.0**8, 2.0**16, 2.0**32)  # numbers that fit into integers of one, two and four bytes

FEWEST_STEPS, FEWEST_WRAPPED = 100, 20  # steps, and those at which the number is too large

WIDEST, MOST_HELD = 64, 256  # columns that are compared
FEWEST_MARKS = 3  # columns of which one is 1


@rule(
    "OBS118",
    link=Link.OBSERVATION,
    level=Level.ERROR,
    on=Survey,
    needs=("observation", "held"),
    leads_to=("OBS108", "OBS110", "REW101", "REW102", "TSK102", "TSK103", "TSK106"),
)
def wrapped_around(survey: Survey) -> Answer:
    """A number is too large for the type of the observation, and begins again from the other end.

    ## What it sees
    At every step a column is one of the environment's own attributes, without its decimals, modulo 2 to the 8th, 16th
    or 32nd power, and at 20 steps or more that is not the attribute itself: it was cast to an integer of one, two or
    four bytes. Or columns of which one is 1 and the others are 0 show an attribute that goes up and down, modulo their
    number: there are fewer of them than states.

    ## Why it is bad
    256 looks like 0: the fullest and the emptiest state are the same, and a step over the edge looks like a leap from
    one end of the range to the other.

    ## What to do
    1. Use a wider type, or scale the number into the range of the type before the cast.
    2. Clip to the range of the type, where larger numbers need not be told apart.
    3. Declare the bounds that the number really has, not those of the type.

    ## How to prove it
    Print the attribute beside the observation where it is largest.

    ## When it is wrong
    A counter that is meant to be read modulo 256.

    ## References
    NumPy, `astype`: casts of integers wrap around without a warning.
    """
    held = survey.held
    if held is None or len(held.rewards) < FEWEST_STEPS:
        return CannotTell(("held",), f"fewer than {FEWEST_STEPS} steps with attributes")
    width = min(held.successors.shape[1], WIDEST)
    rows = np.trunc(np.where(held.finite, held.after, 0.0))
    changing = [place for place in np.flatnonzero(held.finite).tolist() if np.ptp(rows[:, place]) > 0.0]
    for column in range(width):
        seen = held.successors[:, column]
        for place in changing[:MOST_HELD] if _is_whole(seen) else ():
            size, wrong = _find_size(rows[:, place], seen)
            if size:
                most = float(np.abs(held.after[:, place]).max())
                return Finding(
                    message=f"{survey.labels[column]} is `{held.labels[place]}` modulo {size:,.0f} at each of "
                    f"{len(seen):,} steps, and at {int(wrong.sum()):,} of them another number: `{held.labels[place]}` "
                    f"goes up to {most:,.6g}, which the type of the observation cannot hold.",
                    level=Level.ERROR,
                    confidence=HIGH,
                    evidence=(Evidence(metric=held.labels[place], value=most, limit=size - 1.0),),
                )
    return _judge_one_hot(held, rows, changing[:MOST_HELD])


def _judge_one_hot(held: HeldState, rows: Array, changing: list[int]) -> Finding | None:
    """The finding, if one of several columns is 1 by an attribute modulo their number; a counter is no state."""
    marks = [column for column in held.successors.T if bool(np.all((column == 0.0) | (column == 1.0)))]
    if len(marks) < FEWEST_MARKS or not bool(np.all(np.sum(marks, axis=0) == 1.0)):
        return None
    shown, inside = np.argmax(marks, axis=0), np.ones(len(rows), dtype=bool)
    inside[held.firsts] = False
    for place in changing:
        number, moved = rows[:, place], np.diff(rows[:, place])[inside[1:]]
        wrong = number != shown
        if int(wrong.sum()) < FEWEST_WRAPPED or not (moved.min() < 0.0 < moved.max()):
            continue
        if bool(np.all(np.mod(number, len(marks)) == shown)):
            most = float(number.max())
            return Finding(
                message=f"{len(marks)} columns of the observation, of which one is 1, show `{held.labels[place]}` "
                f"modulo {len(marks)} at each of {len(rows):,} steps: it goes up to {most:,.6g}, and is taken for "
                f"another state at {int(wrong.sum()):,} of them.",
                level=Level.ERROR,
                confidence=HIGH,
                evidence=(Evidence(metric=held.labels[place], value=most, limit=len(marks) - 1.0),),
            )
    return None


def _is_whole(values: Array) -> bool:
    return bool(np.isfinite(values).all() and np.all(values == np.round(values)) and np.ptp(values) > 0.0)


def _find_size(numbers: Array, seen: Array) -> tuple[float, Flags]:
    """The modulus by which the numbers become what is seen, 0 where there is none, and where that changes them."""
    wrong: Flags = np.asarray(numbers != seen)
    if int(wrong.sum()) >= FEWEST_WRAPPED:
        for size in SIZES:
            if any(bool(np.all(np.mod(numbers + low, size) - low == seen)) for low in (0.0, size / 2)):
                return size, wrong
    return 0.0, wrong
