from __future__ import annotations

import numpy as np

from weaklink.base.evidence.samples import Samples
from weaklink.judge.rules._marked import measure_marked
from weaklink.judge.rules.writing import HIGH, Answer, CannotTell, Evidence, Finding, Level, Link, rule

FEWEST, FULL, DIFFERENT = 8, 0.9, 8
"""Rows that abstain; the part of the range of rewards, from the lowest to the highest, that is a full reward; and
different references: a few may be labels, such as those of safety."""


@rule(
    "LLM366",
    link=Link.REWARD,
    level=Level.WARN,
    on=Samples,
    needs=("abstains", "reward", "reference"),
    leads_to=("LLM301", "LLM302", "LLM305", "LLM307", "LLM308", "LLM311", "LLM327", "LLM347", "LLM368"),
)
def paid_abstaining(samples: Samples, *, limit: float = 0.05) -> Answer:
    """Completions say that they do not know, and are paid as if they were right.

    ## What it sees
    More than 0.05 of the last completions only say that they do not know, though there is a reference that is an
    answer, and on average they get 0.9 or more of the range from the lowest reward to the highest.

    ## Why it is bad
    Saying nothing is always possible and never wrong. Where it is paid like a right answer, it is the best that can be
    learned, whatever is asked.

    ## What to do
    1. Pay an abstention less than a right answer, and more than a wrong one at most.
    2. Look at how the grader reads such texts: a judge that is asked whether anything is wrong finds nothing.
    3. Go back to a checkpoint from before the share rose.

    ## How to prove it
    Score "I do not know." with the reward function: it must not get what a right answer gets.

    ## When it is wrong
    Questions that have no answer, whose reference does not say so.

    ## References
    Kalai et al., Why Language Models Hallucinate, 2025 (what abstaining should earn).
    """
    found = measure_marked(samples, "abstains", "reward", "reference")
    if isinstance(found, CannotTell):
        return found
    if len(np.unique(found.rows.codes["reference"])) < DIFFERENT:
        return CannotTell(("answer",), f"fewer than {DIFFERENT} different references: they may be labels of prompts")
    reward, marked = found.late["reward"], found.late["abstains"] == 1.0
    low, high = float(samples["reward"][np.isfinite(samples["reward"])].min()), float(np.nanmax(samples["reward"]))
    if not found.over(limit) or marked.sum() < FEWEST or high <= low:
        return None
    paid = float(reward[marked].mean())
    if paid < low + FULL * (high - low):
        return None
    return Finding(
        message=f"{found.share:.0%} of the completions abstain: they say that they do not know (limit "
        f"{limit:.0%}{found.since}), and get {paid:.3g} reward on average, where the highest is {high:.3g}: abstaining "
        "is paid like a right answer.",
        confidence=HIGH,
        evidence=(Evidence(metric="abstains", value=found.share, limit=limit),),
    )
