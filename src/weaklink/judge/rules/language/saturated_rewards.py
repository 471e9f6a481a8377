from __future__ import annotations

import numpy as np

from weaklink.base.evidence.samples import Samples
from weaklink.judge.rules._draws import add_columns, average_by_draw, select_complete
from weaklink.judge.rules._samples import LIKELY, find_onset, select_settled, split
from weaklink.judge.rules.writing import HIGH, MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule

FEWEST, FEWEST_OTHERS = 60, 10
"""Rows with a reward, and rows below the highest: with fewer it is not known whether the scale is fine."""
FINE = 0.5
"""The share of different values among the other rewards from which on they are a fine scale and no verdicts."""
VARIED = 0.5
"""The share of different texts at the highest reward: answers that are all the same are worth the same."""
TOP = "reward at the top of its scale"


@rule(
    "LLM357",
    link=Link.REWARD,
    level=Level.WARN,
    on=Samples,
    needs=("reward", "text"),
    leads_to=("LLM308", "LLM312", "LLM352"),
)
def saturated_rewards(samples: Samples, *, most: float = 0.7) -> Answer:
    """The reward is saturated: most completions have exactly the highest value of an otherwise fine scale.

    ## What it sees
    More than 0.7 of the last rows have exactly the highest reward of all, while the rewards below it are fine-grained
    (half of them or more differ from each other), and the texts at the top differ too. Verdicts, and shares of tests
    that pass, are no fine scale. Where an outcome says that the rows at the top are good, nothing is said.

    ## Why it is bad
    A score that is clipped or saturated no longer ranks completions: good and very good ones get the same, groups have
    no advantages, and training stops or drifts to whatever keeps the score at its limit.

    ## What to do
    1. Look for a clip, a sigmoid or a scale of a judge that ends here, and log the score before it.
    2. Widen or drop the clip; subtract the mean of the score and divide by its spread instead.
    3. Where the score itself is so high, retrain the reward model on completions of the present policy.

    ## How to prove it
    Score ten of the rows at the top without the clip: their scores must differ.

    ## When it is wrong
    Tasks in which most completions really are perfect, such as translations that match their reference in other words;
    log an outcome.

    ## References
    Gao et al., Scaling Laws for Reward Model Overoptimization, 2022.
    """
    rows = select_complete(samples, "reward", "text")
    if len(rows) < FEWEST:
        return CannotTell(("reward",), f"fewer than {FEWEST} rows with a reward")
    reward = rows["reward"]
    top = float(reward.max())
    others = reward[reward < top]
    if len(others) < FEWEST_OTHERS or len(np.unique(others)) < FINE * len(others):
        return None
    texts = rows.codes["text"][reward == top]
    if len(np.unique(texts)) < VARIED * len(texts) or _are_good(rows, reward == top):
        return None
    marked = add_columns(rows, **{TOP: (reward == top).astype(float)})
    late = average_by_draw(select_settled(marked, TOP), TOP)
    if late is None or late.mean - LIKELY * late.error <= most:
        return None
    parts = split(marked, TOP)
    shift = None if parts is None else parts.shift(TOP)
    return Finding(
        message=f"The reward is saturated: {late.mean:.0%} of the completions have exactly its maximum of {top:g} "
        f"(limit {most:.0%}), though below it the scale is fine ({len(np.unique(others)):,} values in "
        f"{len(others):,} rows) "
        "and their texts differ. It is clipped or at its ceiling, and no longer ranks them.",
        onset=find_onset(marked, TOP, shift) if shift is not None and shift.rose else None,
        confidence=HIGH if late.mean > 0.5 * (1 + most) else MEDIUM,
        evidence=(Evidence(metric=TOP, value=late.mean, limit=most),),
    )


def _are_good(rows: Samples, best: np.ndarray) -> bool:
    """Whether an outcome says that nearly all of these rows are as good as any."""
    if rows.outcome is None:
        return False
    told = rows[rows.outcome]
    known = np.isfinite(told)
    return bool(known[best].any()) and float(np.nanmean(told[best])) >= 0.9 * float(np.nanmax(told))
