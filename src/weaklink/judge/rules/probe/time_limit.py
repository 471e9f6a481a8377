from __future__ import annotations

from weaklink.base.evidence.outcome import Outcome
from weaklink.base.finding import Answer, Level
from weaklink.base.loop import Link
from weaklink.judge.rules._registry import rule
from weaklink.judge.rules.probe._broken import broken


@rule("PRB106", link=Link.RETURNS, level=Level.ERROR, on=Outcome, needs=("time-limit",))
def time_limit(outcome: Outcome) -> Answer:
    """A time limit is treated as if the task had ended, or as if the next episode went on with it.

    ## What it sees
    An endless task that pays 1 a step, cut off (truncated) after four steps, and nothing to see. Every state is worth
    1 / (1 - gamma), 10 for a discount of 0.9. Who takes the limit for an end comes to about 3 and never beyond; the
    value must get clearly above that, and not above 1.15 times the right one, on nearly every seed.

    Then a task that pays 1 at its first step and nothing after it, cut off at the second. The two states are worth 1
    and 0. Who takes in the first observation of the next episode at the cut comes to 5.3 and 4.7; no value may go a
    quarter of that way, on nearly every seed.

    ## Why it is bad
    At a time limit the world would have gone on. Without the value of the last observation in the target, values hang
    on an invisible clock, the critic sees noise, and the agent gets short-sighted, the more so the shorter the limit.

    ## What to do
    1. Read the value (for a discount of 0.9). 3.1: the limit is taken for an end. 1: only the immediate reward is
       learned. 1.3: the mask is inverted. 8: resets are stored as steps. Far above 10: the discount is missing. On
       the second task, both too large: the observation after the automatic reset is taken for the last one.
    2. Store terminated and truncated apart, and use terminated alone in the mask of the target.
    3. At a truncation take the value of the last observation: `final_observation` or `final_obs` of the info with
       automatic resets, not the first one of the next episode. The recursion of the advantages still stops there.
    4. On-policy code may add gamma times that value to the last reward instead.

    ## How to prove it
    `weaklink probe TRAINER --only time-limit` after the change: the value must come near 1 / (1 - gamma).

    ## When it is wrong
    Agents that are told the time left have another right answer, but here it is not shown. A slow target network or a
    small learning rate needs long to reach 10: the band begins far below it, but `--steps` may still be needed. A
    discount close to 1 that the agent does not report shifts the right answer a lot. On tasks whose limit belongs to
    the task, ending there is right.

    ## References
    Pardo et al., "Time Limits in Reinforcement Learning", arXiv 1712.00378; skrl issue 449; Huang et al., "The 37
    Implementation Details of Proximal Policy Optimization", 2022.
    """
    return broken(
        outcome,
        "time-limit",
        Link.RETURNS,
        "the value of the last observation is missing at a time limit",
        "where done = terminated or truncated goes into the target; keep the value of the last observation there",
    )
