from __future__ import annotations

import numpy as np

from weaklink.base.evidence.run import Run
from weaklink.base.stats import level
from weaklink.judge.rules._course import FEWEST, has_improved
from weaklink.judge.rules._hyperparameters import is_table
from weaklink.judge.rules.writing import MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule

RATE, ERROR = "optimizer.learning_rate", "value.td_error"

# points, and the largest error of a table whose world always answers the same, as a share of its largest at the end
FEWEST_POINTS, LEFT = 2 * FEWEST, 0.02


@rule(
    "OPT312",
    link=Link.OPTIMIZER,
    level=Level.WARN,
    needs=(RATE, ERROR),
    leads_to=("REW301", "REW303", "REW304", "VAL305", "EVA304"),
)
def table_overwritten(run: Run, *, least: float = 0.95) -> Answer:
    """Each update of a table replaces what was learned by one sample, in a stochastic environment.

    ## What it sees
    The learning rate of a table is 0.95 and more throughout, its errors are still a fiftieth of their largest and more
    in the last fifth of the log, and the return does not improve.

    ## Why it is bad
    With a rate of 1 a value is its last target and nothing else. Where the same action in the same state is always
    answered alike, that is the fastest way to learn, and the errors go to 0. Errors that stay show that answers differ:
    there a value must be an average, and one that is not jumps from sample to sample for ever.

    ## What to do
    1. Use a rate of about 0.1, or one that falls with the number of visits.
    2. Check that it is the rate that is set, and not the discount or epsilon.

    ## How to prove it
    Repeat with a rate of 0.1: the errors must fall, and the return rise.

    ## When it is wrong
    A world that always answers the same, in which the errors are those of a policy that still explores; its return
    improves.

    ## References
    Watkins and Dayan, Q-learning, 1992; Sutton and Barto, Reinforcement Learning, 2018, section 2.5.
    """
    rate, errors = run[RATE], run[ERROR]
    if not is_table(run.settings):
        return CannotTell((ERROR,), "the values are not those of a table")
    if min(len(rate), len(errors)) < FEWEST_POINTS:
        return CannotTell((RATE,), f"fewer than {FEWEST_POINTS} points")
    size = np.abs(errors.values)
    largest, last = float(size.max()), level(size[-len(size) // 5 :])
    if has_improved(run) or float(rate.lows.min()) < least or largest <= 0 or last < LEFT * largest:
        return None
    course = run.performance
    told = "" if course is None else f", and {course.told}"
    return Finding(
        message=f"The table is learned with a rate of {level(rate.values):g}, so each value is its last sample alone; "
        f"the errors, of up to {largest:.3g}, are still {last:.3g} at the end{told}.",
        onset=rate.first_step,
        onset_within=rate.interval,
        confidence=MEDIUM,
        evidence=(Evidence(metric=RATE, value=level(rate.values), limit=least, step=rate.first_step),),
    )
