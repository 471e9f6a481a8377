from __future__ import annotations

import numpy as np

from weaklink.base.evidence.samples import Samples
from weaklink.base.evidence.series import Array
from weaklink.judge.rules._draws import select_complete
from weaklink.judge.rules.writing import HIGH, Answer, CannotTell, Evidence, Finding, Level, Link, rule

FEWEST, FEWEST_OUT, MOST, VALUES = 60, 3, 0.1, 10
"""Rows, outliers, their largest share, and different rewards of the others: a verdict with a rare bonus has few."""


@rule(
    "LLM372",
    link=Link.REWARD,
    level=Level.WARN,
    on=Samples,
    needs=("reward",),
    leads_to=("LLM301", "LLM302", "LLM303", "LLM306", "LLM311", "LLM342", "LLM352", "REW301", "REW302", "REW305"),
)
def reward_outliers(samples: Samples, *, factor: float = 50.0) -> Answer:
    """A few rewards are outliers: orders of magnitude larger than all others.

    ## What it sees
    Up to a tenth of the rewards, three or more of different size, are at least 50 times as large as the largest of all
    others, which take ten values or more.

    ## Why it is bad
    One such row decides the mean and the spread of its batch. Advantages that are divided by the spread leave nothing
    for the others, and those that are not push the policy towards a single text.

    ## What to do
    1. Read these rows: is a term in another unit (milliseconds, cents, per cent), a ratio over nearly nothing, or a
       score that was never bounded?
    2. Mend the term; then clip each term to the range that it should have, and log how often that happens.
    3. Look at the curves of the reward by quantiles and not by the mean.

    ## How to prove it
    Score these rows again, term by term: one of them stands out.

    ## When it is wrong
    Prizes that are meant to be so large and differ in size.

    ## References
    Reinforcement Learning Training Debug Guide, on the scale of rewards.
    """
    rows = select_complete(samples, "reward")
    if len(rows) < FEWEST:
        return CannotTell(("reward",), f"fewer than {FEWEST} rewards")
    found = _find_gap(np.abs(rows["reward"]), factor)
    if found is None:
        return None
    usual, least, count = found
    out = rows["reward"][np.abs(rows["reward"]) >= least]
    if len(np.unique(out)) < FEWEST_OUT:
        return None
    return Finding(
        message=f"{count:,} of {len(rows):,} rewards are outliers: {np.abs(out).min():,.4g} and more, while no other "
        f"is above {usual:,.4g} (limit {factor:g} times as much): a few rewards dominate their batch, as with a wrong "
        "unit.",
        confidence=HIGH,
        evidence=(Evidence(metric="reward", value=least / usual, limit=factor),),
    )


def _find_gap(size: Array, factor: float) -> tuple[float, float, int] | None:
    """The largest usual size, the smallest beyond the gap and how many are there; None where there is no gap."""
    order = np.sort(size)
    start = int(np.ceil((1.0 - MOST) * len(order)))
    for place in range(max(start, 1), len(order) - FEWEST_OUT + 1):
        usual = float(order[place - 1])
        if usual > 0.0 and order[place] >= factor * usual:
            varied = len(np.unique(order[:place])) >= VALUES
            return (usual, float(order[place]), len(order) - place) if varied else None
    return None
