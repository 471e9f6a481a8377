from __future__ import annotations

import numpy as np

from weaklink.base.evidence.run import Run
from weaklink.base.evidence.series import Array, Series
from weaklink.base.stats import level
from weaklink.judge.rules._suspicions import BEARS_OUT
from weaklink.judge.rules.writing import HIGH, Answer, CannotTell, Evidence, Finding, Level, Link, rule

# settings in force and slow curves, which two trainings hardly ever share
TELLING = ("optimizer.learning_rate", "exploration.epsilon", "exploration.entropy", "exploration.temperature")

# points of such a curve, and the share of its steps that are there twice
FEWEST_POINTS, MOSTLY = 20, 0.9


@rule(
    "SYS307",
    link=Link.SYSTEM,
    level=Level.WARN,
    needs=(TELLING,),
    leads_to=(*BEARS_OUT, "REW302", "REW306"),
)
def interleaved_rows(run: Run, *, apart: float = 3.0) -> Answer:
    """Two trainings write into one log: every step is there twice, and the rows are of two curves.

    ## What it sees
    Nine of ten steps of a log occur exactly twice, and the first and the second rows of a setting or a slow curve
    (learning rate, epsilon, entropy, temperature) are two curves: each changes little from step to step, and the two
    differ by three times as much.

    ## Why it is bad
    Every curve of the log is a mixture of two, so neither its level nor its trend belongs to any training. If both
    write checkpoints into the same folder too, each overwrites the other's.

    ## What to do
    1. Look for a second process: a job that was started twice, two ranks that both log, a sweep without a name of its
       own for each run.
    2. Give each training a folder of its own, and let rank 0 alone write.

    ## How to prove it
    Log the identity of the process in every row: there must be one.

    ## When it is wrong
    A logger that writes training and evaluation as two rows of one step does not write the same metrics in both.

    ## References
    Practice.
    """
    known = [run[name] for name in TELLING if name in run and len(run[name]) >= FEWEST_POINTS]
    if not known:
        return CannotTell(TELLING[:1], f"fewer than {FEWEST_POINTS} points")
    found = next((pair for series in known if (pair := _part(series, apart)) is not None), None)
    if found is None:
        return None
    series, first, second = found
    return Finding(
        message=f"Every step is logged twice, and {series.name} is {first:.4g} in the first and {second:.4g} in the "
        "second rows: two trainings write into one log.",
        onset=series.first_step,
        onset_within=series.interval,
        confidence=HIGH,
        evidence=(Evidence(metric=series.name, value=second, limit=first, step=series.first_step),),
    )


def _part(series: Series, apart: float) -> tuple[Series, float, float] | None:
    """The usual values of the first and the second rows, where these are two curves."""
    _, begins, counts = np.unique(series.steps, return_index=True, return_counts=True)
    if float(np.mean(counts == 2)) < MOSTLY:
        return None
    twice = begins[counts == 2]
    first, second = series.values[twice], series.values[twice + 1]
    gap = np.abs(first - second)
    if level(gap) <= apart * max(_measure_changes(first), _measure_changes(second)):
        return None
    middle = int(np.argsort(gap)[len(gap) // 2])
    return (series, float(first[middle]), float(second[middle])) if level(gap) > 0 else None


def _measure_changes(values: Array) -> float:
    return level(np.abs(np.diff(values)))
