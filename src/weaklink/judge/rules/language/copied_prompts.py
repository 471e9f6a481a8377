from __future__ import annotations

import numpy as np

from weaklink.base.evidence.samples import Samples
from weaklink.judge.rules._draws import select_complete
from weaklink.judge.rules._samples import SURE, find_onset, split
from weaklink.judge.rules._within import measure_effect
from weaklink.judge.rules.writing import HIGH, MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule

FOLLOWS = 0.8
"""The correlation of the reward with copying among completions of one prompt, from which on it is what is paid."""
VERDICT = 2
"""Different rewards of a verdict: one that follows copying may check a quotation that was asked for."""


@rule(
    "LLM338",
    link=Link.REWARD,
    level=Level.WARN,
    on=Samples,
    needs=("copied",),
    leads_to=("LLM302", "LLM303", "LLM306", "LLM311", "LLM301", "LLM307"),
)
def copied_prompts(samples: Samples, *, growth: float = 0.25, share: float = 0.4) -> Answer:
    """Completions turn into copies of their prompts.

    ## What it sees
    The share of a completion that stands word for word in its prompt (runs of six words) rises during training, or from
    a baseline, by 0.25 or more and beyond chance, to at least 0.4, and no outcome gets better. It is an alarm too where
    that share is 0.4 or more on average and, among completions of one prompt, the reward follows it (correlation 0.8);
    not where an outcome is known, or the reward is a verdict of two values, which may check a quotation.

    ## Why it is bad
    A reward that measures overlap with the source, or a reward model that finds nothing wrong in its sentences, pays
    for copying. The policy then summarises, translates or answers nothing.

    ## What to do
    1. Read ten late completions beside their prompts.
    2. Pay for what the text adds: compare with a reference, or penalise long runs of words from the source.
    3. Limit the length: a copy that has to be short must choose.

    ## How to prove it
    Score the first sentences of the prompt as an answer: a sound reward does not pay for them.

    ## When it is wrong
    Tasks that ask for quotations, such as extraction or correction, where the policy learns to quote more exactly; log
    an outcome, with which the rule stays silent where it rises.

    ## References
    See et al., Get To The Point, 2017 (summaries that copy their source).
    """
    parts = split(samples, "copied")
    shift = None if parts is None else parts.shift("copied")
    if (paid_for := _find_paid(samples, share)) is not None:
        return paid_for
    if parts is None or shift is None:
        return CannotTell(("step or baseline",), "no start to compare with")
    if not shift.rose or shift.change < growth or shift.after < share or parts.better:
        return None
    reward = parts.shift("reward")
    paid = reward if reward is not None and reward.rose else None
    told = "" if paid is None else f", while the reward rose from {paid.before:.3g} to {paid.after:.3g}"
    return Finding(
        message=f"Late completions copy their prompts: {shift.after:.0%} of their text stands there word for word, "
        f"{shift.before:.0%} {parts.where}{told}.",
        onset=find_onset(samples, "copied", shift),
        confidence=MEDIUM if paid is None else HIGH,
        evidence=(Evidence(metric="copied", value=shift.after, limit=shift.before + growth),),
    )


def _find_paid(samples: Samples, share: float) -> Finding | None:
    """Copies that are paid more than other completions of the same prompt, and no outcome says that they are better."""
    rows = select_complete(samples, "copied", "reward") if "reward" in samples else None
    if rows is None or not len(rows) or samples.outcome is not None:
        return None
    copied = float(rows["copied"].mean())
    if copied < share or len(np.unique(rows["reward"])) <= VERDICT:
        return None
    effect = measure_effect(rows, "reward", rows["copied"], None)
    if effect is None or not effect.paired or effect.strength < FOLLOWS or effect.z < SURE:
        return None
    return Finding(
        message=f"Completions copy their prompts: {copied:.0%} of their text stands in the prompt word for word, and "
        f"among completions of one prompt the reward follows that (correlation {effect.strength:.2f} over "
        f"{effect.rows:,} rows): overlap with the source is paid.",
        confidence=HIGH,
        evidence=(Evidence(metric="reward and copied", value=effect.strength, limit=FOLLOWS),),
    )
