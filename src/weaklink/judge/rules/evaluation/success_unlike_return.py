from __future__ import annotations

import numpy as np

from weaklink.base.evidence.run import Run
from weaklink.base.evidence.series import Series
from weaklink.base.stats import level
from weaklink.judge.rules.writing import HIGH, Answer, CannotTell, Evidence, Finding, Level, Link, rule

TRAINED, EVALUATED, PAID = "task.success_rate", "evaluation.success_rate", "evaluation.return"
RETURNS = ("reward.episode_return", "reward.mean")

# rows that lie on one line to a thousandth of their range; and evaluations that may be off by chance
FEWEST, DISTINCT, EXACT = 10, 5, 1e-3


@rule(
    "EVA308",
    link=Link.EVALUATION,
    level=Level.WARN,
    needs=(TRAINED, EVALUATED, PAID, RETURNS),
)
def success_unlike_return(run: Run, *, apart: float = 0.1) -> Answer:
    """Successes of the evaluation are not the successes that training is paid for.

    ## What it sees
    In every row of the training the success rate follows from the return, by one line, to a thousandth: a task that
    pays for its goal alone. In most evaluations their success lies more than a tenth, on one side, from what
    their own return says by that line.

    ## Why it is bad
    Both play the same task, in which a success is paid. An evaluation that counts others counts something else, such as
    every episode that ends. Checkpoints, early stopping and reports then rest on a number that means nothing.

    ## What to do
    1. Take the flag from the `info` of the last step of the episode, before the reset.
    2. Count an end as a success only where the goal was reached: falls, holes and time limits are ends too.

    ## How to prove it
    Print return and success of ten evaluation episodes side by side.

    ## When it is wrong
    An evaluation that pays otherwise on purpose, such as one without a bonus: then its return is not comparable.

    ## References
    Practice.
    """
    trained, evaluated, paid = run[TRAINED], run[EVALUATED], run[PAID]
    lines = [line for name in RETURNS if name in run and (line := _fit_line(run[name], trained)) is not None]
    if not lines or len(evaluated) < FEWEST or len(paid) < FEWEST:
        return CannotTell((TRAINED,), "success and return of the training do not lie on one line")
    offset, slope = lines[0]
    said = offset + slope * np.interp(evaluated.steps, paid.steps, paid.values)
    top = 100.0 if trained.highs.max() > 1.5 else 1.0
    gap = evaluated.values - said
    off = level(gap)
    if abs(off) <= apart * top or float(np.mean(np.sign(off) * gap > apart * top)) <= 0.5:
        return None
    return Finding(
        message=f"In training the success rate follows from the return in every row, to the digit; the evaluations "
        f"report {level(evaluated.values) / top:.0%} where their own return says {level(said) / top:.0%}: they count "
        "something else as success.",
        onset=evaluated.first_step,
        onset_within=evaluated.interval,
        confidence=HIGH,
        evidence=(
            Evidence(metric=EVALUATED, value=level(evaluated.values), limit=level(said), step=evaluated.first_step),
        ),
    )


def _fit_line(returns: Series, success: Series) -> tuple[float, float] | None:
    """Offset and slope of the success rate as a line in the return, where all rows lie on it."""
    if len(returns) != len(success) or len(success) < FEWEST or not np.array_equal(returns.steps, success.steps):
        return None
    paid, solved = returns.values, success.values
    low, high = int(np.argmin(paid)), int(np.argmax(paid))
    if len(np.unique(solved)) < DISTINCT or paid[high] <= paid[low] or solved[high] <= solved[low]:
        return None
    slope = float((solved[high] - solved[low]) / (paid[high] - paid[low]))
    offset = float(solved[low] - slope * paid[low])
    missed = np.abs(offset + slope * paid - solved)
    return (offset, slope) if float(missed.max()) <= EXACT * float(np.ptp(solved)) else None
