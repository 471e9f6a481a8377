from __future__ import annotations

import numpy as np

from weaklink.base.evidence.samples import STYLE, Samples
from weaklink.base.evidence.series import Array
from weaklink.judge.rules._draws import mark_samples, select_complete
from weaklink.judge.rules._samples import LIKELY, find_onset, split
from weaklink.judge.rules.writing import HIGH, MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule

HEDGES, HEDGED = f"{STYLE}hedges", "completions with hedges"
LONGER = 1.5
"""Times the former length: beyond it texts hold more words of any kind, and their length is what changed."""


@rule(
    "LLM345",
    link=Link.REWARD,
    level=Level.WARN,
    on=Samples,
    needs=(HEDGES, "reference", ("step", "policy_version", "baseline")),
    leads_to=("LLM301", "LLM306", "LLM311", "LLM325"),
)
def hedged_answers(samples: Samples, *, growth: float = 0.3) -> Answer:
    """Questions that have one answer are answered more and more with hedges instead of a decision.

    ## What it sees
    Of completions whose right answer is known, the share with words that hedge (perhaps, possibly, it depends, could
    be, hard to say, ...) rises during training by 0.3 or more, beyond chance; the reward does not fall, no outcome gets
    better, and completions are at most 1.5 times as long as before.

    ## Why it is bad
    A judge that gives partial credit to an answer that names the right option among others makes hedging pay in the
    mean. The policy stops committing itself: it is never quite wrong, and of no use.

    ## What to do
    1. Have the judge grade one final answer, and pay nothing for an answer that names several.
    2. Ask in the prompt for one answer, and parse it.
    3. Reward confidence that is right more than hedging, and hedging more than confidence that is wrong.

    ## How to prove it
    Have fifty hedged completions graded by their first named option alone: the reward falls.

    ## When it is wrong
    Questions that became harder during training, where doubt is honest. Hedges in other words are not recognised.

    ## References
    Lin et al., Teaching Models to Express Their Uncertainty in Words, 2022.
    """
    marked = mark_samples(select_complete(samples, "reference"), HEDGED, _mark_hedges)
    parts = split(marked, HEDGED)
    shift = None if parts is None else parts.shift(HEDGED)
    if parts is None or shift is None:
        return CannotTell(("step or baseline",), "no start to compare with")
    reward = parts.shift("reward")
    if not shift.rose or shift.change < growth or parts.better or (reward is not None and reward.z <= -LIKELY):
        return None
    if (length := parts.shift("length")) is not None and length.after > LONGER * length.before:
        return None  # more words hold more of all kinds
    return Finding(
        message=f"{shift.after:.0%} of late completions hedge instead of giving one answer, {shift.before:.0%} "
        f"{parts.where}, and are paid no less for it.",
        onset=find_onset(marked, HEDGED, shift),
        confidence=HIGH if parts.better is False and reward is not None else MEDIUM,
        evidence=(Evidence(metric=HEDGED, value=shift.after, limit=shift.before + growth),),
    )


def _mark_hedges(samples: Samples) -> Array:
    counts = samples[HEDGES] if HEDGES in samples else np.full(len(samples), np.nan)
    return np.where(np.isfinite(counts), counts > 0, np.nan)
