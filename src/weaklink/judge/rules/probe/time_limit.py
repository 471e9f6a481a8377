from __future__ import annotations

from weaklink.base.evidence.outcome import Outcome
from weaklink.judge.rules.probe._broken import broken
from weaklink.judge.rules.writing import Answer, Level, Link, rule


@rule("PRB106", link=Link.RETURNS, level=Level.ERROR, on=Outcome, needs=("time-limit",))
def time_limit(outcome: Outcome) -> Answer:
    """A truncation at a time limit is treated as a termination, or as if the next episode continued it.

    ## What it sees
    An endless task that pays 1 a step, truncated after four steps, without an observation. The value is 1 / (1 -
    gamma), 10 for a discount of 0.9. A trainer that treats the time limit as a terminal reaches about 3 and never more;
    the value must get clearly above that, and not above 1.15 times the right one, on nearly every seed.

    Then a task that pays 1 at its first step and nothing after it, truncated at the second. The values are 1 and 0. A
    trainer that bootstraps from the first observation of the next episode at the truncation reaches 5.3 and 4.7; no
    value may go a quarter of the way there, on nearly every seed.

    ## Why it is bad
    At a time limit the task would have continued. Without bootstrapping from the last observation, values depend on an
    unobserved clock, the critic sees noise, and the agent becomes short-sighted, more so the shorter the limit.

    ## What to do
    1. Read the value (for a discount of 0.9). 3.1: the time limit is treated as a terminal. 1: only the immediate
       reward is learned. 1.3: the mask is inverted. 8: resets are stored as steps. Far above 10: the discount is
       missing. On the second task, both too large: the target bootstraps from the observation after the autoreset.
    2. Store terminated and truncated separately, and mask the target with terminated only.
    3. At a truncation bootstrap from the last observation: `final_observation` or `final_obs` of the info with
       autoreset, not the first one of the next episode. The recursion of the advantages still stops there.
    4. On-policy code may add gamma times that value to the last reward instead.

    ## How to prove it
    `weaklink probe TRAINER --only time-limit` after the change: the value must come near 1 / (1 - gamma).

    ## When it is wrong
    Agents that observe the remaining time have another right answer, but here it is not observed. A slow target network
    or a small learning rate takes long to reach 10: the band begins far below it, but a larger `--steps` may still be
    needed. A discount close to 1 that the agent does not report shifts the right answer a lot. Where the time limit is
    part of the task, treating it as a terminal is right.

    ## References
    Pardo et al., "Time Limits in Reinforcement Learning", arXiv 1712.00378; skrl issue 449; Huang et al., "The 37
    Implementation Details of Proximal Policy Optimization", 2022.
    """
    return broken(
        outcome,
        "time-limit",
        Link.RETURNS,
        "the target does not bootstrap from the last observation at a time limit",
        "where done = terminated or truncated masks the target; bootstrap from the last observation at a truncation",
    )
