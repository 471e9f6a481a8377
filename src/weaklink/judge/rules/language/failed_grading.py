from __future__ import annotations

import numpy as np

from weaklink.base.evidence.samples import Samples
from weaklink.judge.rules._marked import measure_marked
from weaklink.judge.rules.writing import HIGH, MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule

LOWEST = 0.9
"""The share of rows with a failed grader that have the lowest reward, from which on a failure counts as a verdict."""


@rule(
    "LLM351",
    link=Link.REWARD,
    level=Level.WARN,
    on=Samples,
    needs=("grading_failed", "reward"),
    leads_to=("LLM301", "LLM302", "LLM305", "LLM308", "LLM311", "LLM312", "LLM330", "LLM352"),
)
def failed_grading(samples: Samples, *, limit: float = 0.1) -> Answer:
    """What grades completions fails, and the failure counts as the lowest reward.

    ## What it sees
    A status beside the rows tells of a failure of the grader itself: a sandbox or judge that does not answer, a lost
    connection, no file handles, no room on the disk. It does so in more than 0.1 of the last rows, beyond chance, and
    nine in ten of these have the lowest reward. Errors of the program that is graded, and its own time limit, are none
    of that.

    ## Why it is bad
    Right answers are punished at random. The reward tells how busy the grader was, and what is quick to grade wins.

    ## What to do
    1. Grade again where the grader failed; leave the row out of the batch where that fails too.
    2. Give the grader's own failures a status of their own, apart from wrong answers.
    3. Find what it runs out of: workers, file handles, time, requests a minute.

    ## How to prove it
    Grade fifty of these rows once more, one at a time: many get another reward.

    ## When it is wrong
    A status that quotes what the completion printed.

    ## References
    Reinforcement Learning Training Debug Guide, on verifiers.
    """
    found = measure_marked(samples, "grading_failed", "reward")
    if isinstance(found, CannotTell):
        return found
    rows = found.rows
    failed, least = rows["reward"][rows["grading_failed"] == 1.0], float(rows["reward"].min())
    if not found.over(limit) or not len(failed) or least == rows["reward"].max():
        return None
    if float(np.mean(failed == least)) < LOWEST:
        return None
    return Finding(
        message=f"The grader failed on {found.share:.0%} of the rows (limit {limit:.0%}{found.since}): its crashes, "
        f"timeouts and lost connections count as the lowest reward, {least:g}, whatever the verifier would have said.",
        onset=found.onset,
        confidence=HIGH if found.over(2 * limit) else MEDIUM,
        evidence=(Evidence(metric="grading_failed", value=found.share, limit=limit),),
    )
