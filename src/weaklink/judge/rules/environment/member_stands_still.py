from __future__ import annotations

from itertools import pairwise

import numpy as np

from weaklink.base.evidence.metrics import MEMBER_RETURN
from weaklink.base.evidence.run import Run
from weaklink.base.evidence.series import Series
from weaklink.judge.rules._suspicions import BEARS_OUT
from weaklink.judge.rules.writing import HIGH, Answer, CannotTell, Evidence, Finding, Level, Link, rule

# rows of a log, environments side by side, and rows that a mean of past episodes may share
FEWEST, MEMBERS, SHARED = 20, 3, 5

# rows of one number: a mean of past episodes has some of them wherever episodes are long
LEAST = 15

# times the longest row of another one: where no episode ends, a mean of past ones stays as it is
TWICE = 2.0


@rule(
    "ENV303",
    link=Link.ENVIRONMENT,
    level=Level.WARN,
    leads_to=BEARS_OUT,
)
def member_stands_still(run: Run, *, chance: float = 1e-4, share: float = 0.2) -> Answer:
    """One of several environments side by side pays one and the same, whatever is done in it.

    ## What it sees
    The log has the returns of each of three environments or more. From some step on those of one are the same number
    to the last digit, over a fifth of the log or more and twice as long as ever in another, while the same policy gets
    other returns in the others: so many that chance alone would give such a row in less than one of ten thousand cases.

    ## Why it is bad
    The same policy plays the same task in all of them. One that answers nothing (a process that hangs, a simulator that
    no longer steps, a state that is not reset) fills the batch with transitions of a world that does not move, and its
    returns make the mean look better or worse than it is.

    ## What to do
    1. Print observations of that environment over ten steps: they must change.
    2. Look for an exception that a worker swallowed, and for a reset that is skipped.
    3. Restart the worker, and drop its data since then.

    ## How to prove it
    Step this environment with random actions: its episodes must be as different as those of the others.

    ## When it is wrong
    Environments that are different on purpose, one of which is always solved.

    ## References
    Practice.
    """
    members = [series for series in run.matching(MEMBER_RETURN) if len(series) >= FEWEST]
    if len(members) < MEMBERS or any(not np.array_equal(one.steps, members[0].steps) for one in members):
        return CannotTell((f"{MEMBER_RETURN}0",), f"the returns of {MEMBERS} environments are not logged")
    for one in members:
        start, end = _find_still(one)
        others = [other for other in members if other is not one]
        if end - start < max(share * len(one), LEAST):
            continue
        value = float(one.values[start])
        alike = float(np.mean([other.values[start:end] == value for other in others]))
        unchanged = max(_measure_unchanged(other, start, value) for other in others)
        if alike ** ((end - start) / SHARED) >= chance or end - start < TWICE * unchanged:
            continue
        step, number = float(one.steps[start]), one.name.removeprefix(MEMBER_RETURN)
        return Finding(
            message=f"Every episode of environment {number} returns {value:.6g} from step {step:,.0f} on, for "
            f"{end - start} rows, while the same policy gets other returns in the {len(others)} others: it no longer "
            "responds to actions.",
            onset=step,
            onset_within=one.interval,
            confidence=HIGH,
            evidence=(Evidence(metric=one.name, value=value, step=step),),
        )
    return None


def _measure_unchanged(series: Series, since: int, value: float) -> int:
    """How many rows another environment had one and the same return, and another one: no episode ended there."""
    values = series.values[since:]
    edges = np.concatenate(([0], np.flatnonzero(np.diff(values) != 0) + 1, [len(values)]))
    rows = [int(end - start) for start, end in pairwise(edges) if values[start] != value]
    return max(rows, default=0)


def _find_still(series: Series) -> tuple[int, int]:
    """Where the longest row of one and the same value begins and ends."""
    edges = np.concatenate(([0], np.flatnonzero(np.diff(series.values) != 0) + 1, [len(series)]))
    longest = int(np.argmax(np.diff(edges)))
    return int(edges[longest]), int(edges[longest + 1])
