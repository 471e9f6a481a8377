from __future__ import annotations

import numpy as np

from weaklink.base.evidence.metrics import OBSERVATION_STD
from weaklink.base.evidence.run import Run
from weaklink.base.evidence.series import Series
from weaklink.base.stats import level
from weaklink.judge.rules._suspicions import BEARS_OUT
from weaklink.judge.rules.writing import HIGH, Answer, CannotTell, Evidence, Finding, Level, Link, rule

# rows before and after, rows within which it happens, and what is left of the spread of the other columns
FEWEST, WITHIN, LEFT = 8, 3, 0.25

# a spread that is none
NOTHING = 1e-8


@rule(
    "OBS305",
    link=Link.OBSERVATION,
    level=Level.WARN,
    needs=(f"{OBSERVATION_STD}0",),
    leads_to=BEARS_OUT,
)
def column_falls_silent(run: Run, *, times: float = 50.0) -> Answer:
    """In the middle of the training one column of the observations stops changing.

    ## What it sees
    The spread of one column falls at once, within three rows, to a fiftieth of what it was and less, and stays there to
    the end of the log, while all other columns keep a quarter of theirs and more.

    ## Why it is bad
    The policy that learned to read this column goes on reading it. A sensor that died, a topic that is no longer
    published or an index that moved gives a constant, and the policy acts on a state that is not there.

    ## What to do
    1. Print the raw column before any preprocessing: is it constant there already?
    2. Look at what changed at that step: a worker that was restarted, a sensor, a version.

    ## How to prove it
    Play the last checkpoint from before the fall in the environment as it is now: its return must be lower.

    ## When it is wrong
    A switch or a goal that no longer changes because a stage of the task begins.

    ## References
    Practice.
    """
    columns = [series for series in run.matching(OBSERVATION_STD) if len(series) >= 2 * FEWEST]
    if len(columns) < 2:
        return CannotTell((f"{OBSERVATION_STD}0",), f"fewer than 2 columns of {2 * FEWEST} points")
    for series in columns:
        place = _find_fall(series, times)
        if place is None or any(_falls(other, place) for other in columns if other is not series):
            continue
        step, number = float(series.steps[place]), series.name.removeprefix(OBSERVATION_STD)
        before, after = level(series.values[place - FEWEST : place]), level(series.values[place:])
        return Finding(
            message=f"The spread of column {number} of the observations falls from {before:.3g} to {after:.3g} at step "
            f"{step:,.0f} and stays there, while the others go on changing: it no longer carries information.",
            onset=step,
            onset_within=series.interval,
            confidence=HIGH,
            evidence=(Evidence(metric=series.name, value=after, limit=before / times, step=step),),
        )
    return None


def _find_fall(series: Series, times: float) -> int | None:
    """The index from which on a spread is so much smaller than in all rows before, but for those of the fall itself."""
    values = np.abs(series.values)
    highest = np.maximum.accumulate(values[::-1])[::-1]
    lowest = np.minimum.accumulate(values)
    for place in range(FEWEST, len(values) - FEWEST):
        before = lowest[max(place - WITHIN, 0)]
        if before > NOTHING and highest[place] * times <= before:
            return place
    return None


def _falls(series: Series, place: int) -> bool:
    """Whether another column lost most of its spread there as well."""
    at = min(place, len(series) - FEWEST)
    before, after = level(series.values[max(at - FEWEST, 0) : at]), level(series.values[at : at + FEWEST])
    return after < LEFT * before
