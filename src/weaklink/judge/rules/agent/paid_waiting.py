from __future__ import annotations

import numpy as np

from weaklink.base.evidence.samples import Samples
from weaklink.judge.rules._draws import FEWEST_ROWS, select_complete
from weaklink.judge.rules._samples import split
from weaklink.judge.rules._trajectories import mark_successes
from weaklink.judge.rules.writing import HIGH, Answer, CannotTell, Evidence, Finding, Level, Link, rule

FEWEST_FAILED = 30
"""Trajectories that fail: among them success explains nothing."""


@rule(
    "AGT314",
    link=Link.REWARD,
    level=Level.WARN,
    on=Samples,
    needs=("turns", "reward", "outcome", "step"),
    leads_to=("AGT301", "AGT304", "AGT305", "AGT306", "AGT308", "LLM301", "LLM302", "LLM303", "LLM311"),
)
def paid_waiting(samples: Samples, *, follows: float = 0.9) -> Answer:
    """The agent is paid for every step it stays, and learns to wait instead of doing its task.

    ## What it sees
    Among trajectories that fail, the reward follows the number of turns (correlation 0.9 or more), so failing later
    pays more; failures are paid as much as successes or more, and success falls during training, beyond chance.

    ## Why it is bad
    A bonus for each step, or for being alive, adds up to more than the task pays. Ending the episode ends the pay, so
    the best policy does nothing until the time limit.

    ## What to do
    1. Add up what waiting until the limit pays, and compare it with what the task pays.
    2. Drop the bonus, or turn it into a cost of each step; pay at the end for what was reached.

    ## How to prove it
    Run a policy that only waits: its return must be below that of one that solves the task.

    ## When it is wrong
    Tasks in which staying alive is the task.

    ## References
    Ng et al., Policy Invariance under Reward Transformations, 1999.
    """
    rows = select_complete(samples, "turns", "reward", "step")
    outcome = rows.outcome
    parts = split(rows, "turns") if outcome is not None and len(rows) >= 2 * FEWEST_ROWS else None
    success = None if parts is None or outcome is None else parts.shift(outcome)
    if parts is None or success is None or outcome is None:
        return CannotTell(("step", "success"), "too few trajectories early and late")
    failed = np.isfinite(rows[outcome]) & ~mark_successes(rows[outcome])
    paid, length = rows["reward"][failed], rows["turns"][failed]
    if failed.sum() < FEWEST_FAILED or not paid.std() * length.std() > 0:
        return None
    strength = float(np.corrcoef(paid, length)[0, 1])
    solved = rows["reward"][np.isfinite(rows[outcome]) & ~failed]
    if strength < follows or not success.fell or (len(solved) and paid.mean() < solved.mean()):
        return None
    return Finding(
        message=f"Waiting is paid: among failures the reward follows the number of turns (correlation {strength:.2f}, "
        f"limit {follows:g}), failures get {paid.mean():.3g} on average, and {outcome} fell from "
        f"{success.before:.3g} to "
        f"{success.after:.3g}. With a bonus for each step, doing nothing until the limit is worth more than the task.",
        confidence=HIGH,
        evidence=(Evidence(metric="reward and turns of failures", value=strength, limit=follows),),
    )
