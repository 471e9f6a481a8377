from __future__ import annotations

import numpy as np

from weaklink.base.evidence.samples import Samples
from weaklink.judge.rules._draws import FEWEST_ROWS
from weaklink.judge.rules.writing import HIGH, Answer, CannotTell, Evidence, Finding, Level, Link, rule

FEWEST_TOTALS, UNPAID = 3, 0.02
"""Different totals, which longer and shorter trajectories have; and the share that was paid nothing: where every step
is paid, success or not, staying alive may be the task."""


@rule(
    "AGT316",
    link=Link.RETURNS,
    level=Level.WARN,
    on=Samples,
    needs=("outcome_repeated", "reward"),
    leads_to=("AGT301", "AGT304", "AGT305", "AGT306", "AGT307", "LLM302", "LLM303", "LLM311", "REW305"),
)
def outcome_repeated(samples: Samples, *, limit: float = 0.9) -> Answer:
    """The outcome is paid at every step of a trajectory and added up, so long trajectories earn a multiple of it.

    ## What it sees
    Steps have rewards of their own. In 0.9 or more of the trajectories that are paid at all, every step has the same
    reward and their sum is the reward of the whole; the sums differ, and other trajectories are paid nothing.

    ## Why it is bad
    A success counts as often as it has steps. The agent learns to take as many as it can before it succeeds, and a long
    way round beats a short one in every comparison.

    ## What to do
    1. Pay the outcome once, at the last step, and 0 before it.
    2. Where every step needs a return, give each the discounted outcome as its return, not as its reward.
    3. Look for a reward that is broadcast over the steps before it is summed.

    ## How to prove it
    Append ten steps that do nothing to a successful trajectory: its total must not rise.

    ## When it is wrong
    Tasks that pay for each step on purpose, and stop paying where the agent fails at once.

    ## References
    Reinforcement Learning Training Debug Guide, on long-trajectory credit assignment.
    """
    told = samples["outcome_repeated"]
    known = np.isfinite(told)
    unpaid = float((samples["reward"] == 0.0).mean())
    if known.sum() < FEWEST_ROWS or unpaid < UNPAID:
        return CannotTell(("step rewards",), f"fewer than {FEWEST_ROWS} paid trajectories beside unpaid ones")
    share = float(told[known].mean())
    totals = np.unique(samples["reward"][known & (told == 1.0)].round(6))
    if share < limit or len(totals) < FEWEST_TOTALS:
        return None
    return Finding(
        message=f"The outcome is paid at every step: in {share:.0%} of the paid trajectories (limit {limit:.0%}) all "
        f"steps have the same reward, and their sum, from {totals.min():.3g} to {totals.max():.3g}, is paid, so long "
        "trajectories earn a multiple of it.",
        confidence=HIGH,
        evidence=(Evidence(metric="outcome_repeated", value=share, limit=limit),),
    )
