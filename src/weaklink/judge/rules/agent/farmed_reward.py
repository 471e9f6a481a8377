from __future__ import annotations

import numpy as np

from weaklink.base.evidence.samples import Samples
from weaklink.judge.rules._draws import add_columns, select_complete
from weaklink.judge.rules._marked import measure_marked
from weaklink.judge.rules._samples import LIKELY
from weaklink.judge.rules.writing import HIGH, Answer, CannotTell, Evidence, Finding, Level, Link, rule

AGAIN = 3
"""Times that one call must be paid in a trajectory: a second time may be a mistake that was made good."""
FEWEST = 10
"""Trajectories of either kind."""
SELDOM = 0.5
"""How often trajectories that were paid for one thing again and again succeed at most, for each success of others."""
FARMED = "one call paid again and again"


@rule(
    "AGT323",
    link=Link.REWARD,
    level=Level.WARN,
    on=Samples,
    needs=("paid_again", "reward", "outcome"),
    leads_to=("AGT301", "AGT303", "AGT304", "AGT305", "AGT308", "LLM301", "LLM303", "LLM311"),
)
def farmed_reward(samples: Samples, *, limit: float = 0.1) -> Answer:
    """One and the same call is paid again and again, and the agent repeats it instead of doing its task.

    ## What it sees
    Steps have rewards of their own. In more than 0.1 of the last trajectories, beyond chance, one call, to the letter,
    was paid three times or more; these earn more than the others, and succeed half as often or less.

    ## Why it is bad
    What was meant as a hint on the way can be had without end: taking and dropping a thing, opening and closing a door.
    The return rises while the task is done less and less.

    ## What to do
    1. Read a trajectory with the highest reward: which step is paid over and over?
    2. Pay each subgoal once in an episode, or pay the difference of a potential, which a way back takes away again.
    3. Make the outcome worth more than all that can be had before it.

    ## How to prove it
    Play the repeated steps by hand: the total must not grow with their number.

    ## When it is wrong
    Tasks in which the same action rightly pays each time, and success is named for something else.

    ## References
    Ng et al., Policy Invariance under Reward Transformations, 1999 (the bicycle that rides in circles).
    """
    truth = samples.outcome
    if truth is None:
        return CannotTell(("success",), "no row says whether it succeeded")
    rows = select_complete(samples, "paid_again", "reward", truth)
    farmed = rows["paid_again"] >= AGAIN
    if len(rows) < 2 * FEWEST:
        return CannotTell(("paid_again",), f"fewer than {2 * FEWEST} trajectories whose steps have rewards")
    if min(int(farmed.sum()), int((~farmed).sum())) < FEWEST:
        return None
    found = measure_marked(add_columns(rows, **{FARMED: farmed.astype(np.float64)}), FARMED)
    share, since = float(farmed.mean()), ""  # of few trajectories all are judged together
    if isinstance(found, CannotTell):
        sure = share - LIKELY * (share * (1.0 - share) / len(rows)) ** 0.5 > limit
    else:
        share, since, sure = found.share, found.since, found.over(limit)
    if not sure:
        return None
    paid, others = (float(rows["reward"][part].mean()) for part in (farmed, ~farmed))
    won, usual = (float(rows[truth][part].mean()) for part in (farmed, ~farmed))
    if paid <= others or usual <= 0.0 or won > SELDOM * usual:
        return None
    return Finding(
        message=f"Reward is farmed: in {share:.0%} of the trajectories one and the same call is paid {AGAIN} "
        f"times or more (limit {limit:.0%}{since}); they earn {paid:.2g} where others earn {others:.2g}, and "
        f"succeed in {won:.0%} where others do in {usual:.0%}: the agent repeats what pays instead of completing its "
        "task.",
        confidence=HIGH,
        evidence=(Evidence(metric="paid_again", value=share, limit=limit),),
    )
