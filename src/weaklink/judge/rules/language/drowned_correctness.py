from __future__ import annotations

import numpy as np

from weaklink.base.evidence.samples import COMPONENT, Samples
from weaklink.base.stats.correlation import correlation
from weaklink.judge.rules._assigned import correlate
from weaklink.judge.rules._draws import FEWEST_ROWS, select_complete
from weaklink.judge.rules._samples import find_component_columns
from weaklink.judge.rules.writing import HIGH, MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule

DECIDES = 0.85
"""The rank correlation of the reward with one component, from which on that component decides it alone."""

SPREAD = 0.1
"""The standard deviation of correctness from which on it varies, as a share of its range where that is below 1: nine of
ten answers right have 0.3."""


@rule(
    "LLM343",
    link=Link.REWARD,
    level=Level.WARN,
    on=Samples,
    needs=("reward",),
    leads_to=("LLM301", "LLM302", "LLM304", "LLM306", "LLM311", "LLM347"),
)
def drowned_correctness(samples: Samples, *, times: float = 8.0, share: float = 0.3) -> Answer:
    """One component of the reward is so large that correctness does not count.

    ## What it sees
    A component that is not correctness varies at least eight times as much as the one for correctness, the reward ranks
    rows as that component does (correlation 0.85), and hardly goes with correctness (0.3 at most, in either direction).

    ## Why it is bad
    The advantages of a group come from the sum. Where one component varies fifty times as much as another, the other
    one is noise in it, so the policy learns the large one, mostly a penalty, and gives up on the task for it.

    ## What to do
    1. Bring all components to one scale, such as 0 to 1, before they are weighted.
    2. Give correctness the largest weight, and a penalty at most a tenth of it.
    3. Log every component, and the share of the spread of the sum that goes with each.

    ## How to prove it
    Repeat a short run without the large component: correctness must rise faster.

    ## When it is wrong
    Tasks in which nearly all answers are right already, so that correctness hardly varies; there the rule asks for a
    spread of correctness of at least 0.1 (of its range where that is smaller than 1) and does not judge otherwise.

    ## References
    Reinforcement Learning Training Debug Guide, on reward components of different scales.
    """
    rights = [f"{COMPONENT}{part}" for part, _ in find_component_columns(samples, right=True)]
    others = [f"{COMPONENT}{part}" for part, _ in samples.columns(COMPONENT) if f"{COMPONENT}{part}" not in rights]
    if not rights or not others:
        return CannotTell(("rewards.correctness",), "no components of correctness and something else")
    rows = select_complete(samples, "reward", *rights, *others)
    spreads = {name: float(rows[name].std()) for name in (*rights, *others)} if len(rows) >= 2 * FEWEST_ROWS else {}
    right = max(rights, key=lambda name: spreads.get(name, 0.0))
    if right not in spreads or spreads[right] <= SPREAD * min(float(np.ptp(rows[right])), 1.0):
        return CannotTell((right,), "too few rows, or correctness hardly varies")
    large = max(others, key=lambda name: spreads[name])
    follows, counts = correlation(rows[large], rows["reward"]), correlate(rows[right], rows["reward"])
    if spreads[large] < times * spreads[right] or follows is None:
        return None
    if follows < DECIDES or abs(counts) > share:
        return None
    ratio = spreads[large] / spreads[right]
    return Finding(
        message=f"The component {large} dominates the reward: its spread is {ratio:,.0f} times that of {right} (limit "
        f"{times:g}), the reward follows it with {follows:.2f} and {right} with {counts:.2f}.",
        confidence=HIGH if ratio >= 2 * times and np.isfinite(ratio) else MEDIUM,
        evidence=(Evidence(metric=f"spread of {large}", value=ratio, limit=times),),
    )
