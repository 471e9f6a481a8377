from __future__ import annotations

import numpy as np

from weaklink.base.evidence.samples import Samples
from weaklink.judge.rules._samples import find_onset, split
from weaklink.judge.rules.writing import HIGH, Answer, Evidence, Finding, Level, Link, rule

FEWEST = 3
"""Rows: one or two may be the work of a log, not of the reward."""


@rule(
    "LLM329",
    link=Link.REWARD,
    level=Level.ERROR,
    on=Samples,
    needs=("reward_not_finite",),
    leads_to=("LLM308", "LLM312", "OPT301", "OPT302"),
)
def rewards_not_finite(samples: Samples, *, most: float = 0.002) -> Answer:
    """Some rewards are NaN or infinite.

    ## What it sees
    More than 0.002 of the rows, and at least three, give a reward that is no finite number.

    ## Why it is bad
    One such reward makes the mean and the spread of its group NaN, and with them every advantage of the group; a
    gradient that takes one in is NaN as a whole. Trainers that replace it by 0 pay wrong answers and failures alike.

    ## What to do
    1. Find the rows: what do their completions have in common (empty, very long, text that the grader cannot parse)?
    2. Look for a division by zero, a logarithm of 0, a mean over nothing, an overflow in half precision.
    3. Decide what a completion is worth that cannot be graded, and mask it out of the loss where nobody knows.

    ## How to prove it
    Call the reward function on one of these rows alone: it must return a number.

    ## When it is wrong
    Logs that write NaN for rows that were never to be graded, such as prompts: leave these out.

    ## References
    IEEE 754: every sum with a NaN is NaN.
    """
    lost = samples["reward_not_finite"] == 1.0
    share = float(lost.mean())
    if lost.sum() < FEWEST or share <= most:
        return None
    parts = split(samples, "reward_not_finite")
    shift = None if parts is None else parts.shift("reward_not_finite")
    rose = shift is not None and shift.rose
    grew = f", {shift.before:.0%} at the start and {shift.after:.0%} at the end" if shift is not None and rose else ""
    return Finding(
        message=f"{int(lost.sum()):,} of {len(samples):,} rows have a reward that is NaN or infinite ({share:.1%}"
        f"{grew}): their advantages are no numbers, or they are paid by a default.",
        onset=find_onset(samples, "reward_not_finite", shift) if shift is not None and rose else _find_first(samples),
        confidence=HIGH,
        evidence=(Evidence(metric="reward_not_finite", value=share, limit=most),),
    )


def _find_first(samples: Samples) -> float | None:
    """The first step with such a reward."""
    if "step" not in samples:
        return None
    steps = samples["step"][samples["reward_not_finite"] == 1.0]
    known = steps[np.isfinite(steps)]
    return float(known.min()) if len(known) else None
