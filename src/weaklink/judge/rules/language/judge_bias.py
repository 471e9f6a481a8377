from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from weaklink.base.evidence.samples import COMPONENT, STYLE, Samples
from weaklink.judge.rules._course import FORM, NOT_PAID, RIGHT
from weaklink.judge.rules._draws import select_complete
from weaklink.judge.rules._samples import SURE
from weaklink.judge.rules._within import ScoreEffect, list_form_components, measure_effect
from weaklink.judge.rules.writing import HIGH, MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule

ENOUGH = 100_000
"""Rows: this many are enough for every style, and keep so many comparisons fast."""

UNANSWERED = ("abstains", "refusal")
"""What a text may do instead of answering, in words that hedge: it has a price of its own, between right and wrong."""

RARE = 0.02
"""The share of completions: a feature that fewer have (or lack) hardly affects training."""


@rule(
    "LLM306",
    link=Link.REWARD,
    level=Level.WARN,
    on=Samples,
    needs=("reward", "outcome"),
    leads_to=("LLM301", "LLM302", "LLM304", "LLM311", "REW305"),
)
def judge_bias(samples: Samples, *, strength: float = 0.3, against: float = 0.5) -> Answer:
    """The reward follows the style of an answer rather than its quality.

    ## What it sees
    Among completions of the same prompt, outcome and length, the reward (or one of its components) correlates with a
    feature of style: lists, headings, bold words, praise, words of certainty and others. The correlation is 0.3 or more
    and at least half as strong as that with the outcome itself, and the outcome does not correlate with the feature.

    ## Why it is bad
    A judge that prefers a style teaches the style. The policy applies it to every answer, scores rise, and answers are
    no better.

    ## What to do
    1. Remove the feature from twenty answers by hand and have them judged again.
    2. Tell the judge what to ignore, or show it the answer without formatting.
    3. Train the reward model with pairs that differ in this style only, with the plain one winning as often.
    4. Add a reward that cannot see style: a check of the answer itself.

    ## How to prove it
    Have the same answers judged with and without the feature: a sound judge gives the same score.

    ## When it is wrong
    Where style is part of the task (a letter, a report) it may deserve reward; then the outcome correlates with it too
    and the rule stays silent. Components that openly reward format are held fixed, and so is whether a text refuses or
    says that it does not know, which may rightly be paid more than a wrong answer and is said in words that hedge.

    ## References
    Chen et al., Humans or LLMs as the Judge, 2024; Li et al., Does Style Matter, 2024 (style control in Chatbot Arena).
    """
    outcome = samples.outcome
    if outcome is None or not any(samples.columns(STYLE)):
        return CannotTell(("outcome", "style"), "style or outcome is not known")
    rows = select_complete(samples, "reward", outcome, most=ENOUGH)
    judged, found = False, []
    for score in _scores(rows, outcome):
        own = measure_effect(rows, score, rows[outcome], None)
        for style, seen in _styles(rows, score, outcome):
            judged = True
            if own is not None and seen.bought(strength, SURE + 1) and seen.strength >= against * own.strength:
                found.append((seen.strength, score, style, seen, own))
    if not found:
        return None if judged else CannotTell(("reward",), "too few comparable completions")
    _, score, style, seen, own = max(found, key=lambda each: each[0])
    alike = "of one prompt and one outcome" if seen.paired else "of one outcome"
    return Finding(
        message=f"Among completions {alike} {score} follows {style} (correlation {seen.strength:.2f} over "
        f"{seen.rows:,} rows); it follows {outcome} with {own.strength:.2f}, and {outcome} follows {style} with "
        f"{seen.outcome:.2f}.",
        confidence=HIGH if seen.paired and seen.strength > own.strength else MEDIUM,
        evidence=(Evidence(metric=f"{score} by {style}", value=seen.strength, limit=strength),),
    )


def _scores(rows: Samples, outcome: str) -> Iterator[str]:
    """The reward and those components that may be a judge's: neither format nor a check of the answer."""
    yield "reward"
    for part, _ in rows.columns(COMPONENT):
        name, column = part.lower(), f"{COMPONENT}{part}"
        if column != outcome and column in rows and not any(words.search(name) for words in (FORM, RIGHT, NOT_PAID)):
            yield column


def _styles(rows: Samples, score: str, outcome: str) -> Iterator[tuple[str, ScoreEffect]]:
    """How a score correlates with each feature of style that is neither rare nor everywhere."""
    held = list_form_components(rows)
    held.extend(np.nan_to_num(rows[name]) for name in UNANSWERED if name in rows)
    if "length" in rows:
        held.append(np.log1p(np.maximum(rows["length"], 0.0)))
    for style, column in rows.columns(STYLE):
        known = column[np.isfinite(column)]
        has = float((known > 0).mean()) if len(known) else 0.0
        if has < RARE or (has > 1 - RARE and float(known.std()) == 0.0):
            continue
        seen = measure_effect(rows, score, np.log1p(np.maximum(column, 0.0)), outcome, held)
        if seen is not None:
            yield style, seen
