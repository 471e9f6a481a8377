from __future__ import annotations

import re

import numpy as np

from weaklink.base.evidence.run import Run
from weaklink.base.evidence.series import Series
from weaklink.base.patterns import compile_late
from weaklink.base.stats import level
from weaklink.judge.rules._course import FEWEST
from weaklink.judge.rules.writing import HIGH, Answer, CannotTell, Evidence, Finding, Level, Link, rule

RETURN = "reward.episode_return"

ELITE = compile_late(r"(?:^|[^a-z])elites?(?:[^a-z]|$)", re.IGNORECASE)
OTHERWISE = compile_late(r"std|var|frac|share|ratio|num|count|size|norm|cost|loss|len|n_|_n(?:_|$)", re.IGNORECASE)
"""What is told of elites and is no return of theirs."""

# of the rows: the best of a population beat its mean in every one
NEARLY_ALL = 0.9


@rule(
    "POL310",
    link=Link.POLICY,
    level=Level.WARN,
    needs=(RETURN,),
    leads_to=("POL309", "REW301", "REW304", "EXP302"),
    symptoms={"reward declines": 13},
)
def reversed_selection(run: Run, *, share: float = NEARLY_ALL) -> Answer:
    """The candidates that are selected are worse than the population that they are selected from.

    ## What it sees
    A return of the elite is logged beside that of the whole population, lies below it in nine of ten rows, and the
    return does not improve.

    ## Why it is bad
    The next population is drawn around what was selected. Where that is the worst, every generation looks for what pays
    least.

    ## What to do
    1. Check the order of the sort: the elite are the last of `argsort(returns)`, or the first of `argsort(-returns)`.
    2. Check whether returns were turned into costs before that, and whether the sign was turned once or twice.

    ## How to prove it
    Print the returns of one population and of the elite chosen from it: the lowest of the elite must not lie below the
    highest of the rest.

    ## When it is wrong
    A return that is logged as a cost, for which less is better: the elite then lie below by right, and the curve falls
    as the search succeeds.

    ## References
    Rubinstein and Kroese, The Cross-Entropy Method, 2004.
    """
    returns, course = run[RETURN], run.performance
    elites = [series for key, series in run.unknown.items() if _is_return_of_elite(key) and len(series) >= FEWEST]
    if not elites or len(returns) < FEWEST or course is None:
        return CannotTell(("elite_mean",), "no return of an elite is logged")
    if course.improved:
        return None
    for elite in elites:
        below = elite.values < np.interp(elite.steps, returns.steps, returns.values)
        if below.mean() >= share:
            return _describe(elite, returns, float(below.mean()))
    return None


def _is_return_of_elite(key: str) -> bool:
    return bool(ELITE.search(key)) and not OTHERWISE.search(ELITE.sub("_", key))


def _describe(elite: Series, returns: Series, share: float) -> Finding:
    selected, all_of_them = level(elite.values), level(returns.values)
    return Finding(
        message=f"The return of the elite ({elite.name}, {selected:,.4g}) lies below that of the whole population "
        f"({all_of_them:,.4g}) in {share:.0%} of {len(elite)} rows: the worst candidates are selected.",
        onset=elite.first_step,
        onset_within=elite.interval,
        confidence=HIGH,
        evidence=(Evidence(metric=elite.name, value=selected, limit=all_of_them, step=elite.first_step),),
    )
