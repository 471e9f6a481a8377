from __future__ import annotations

import numpy as np

from weaklink.base.evidence.samples import Samples
from weaklink.base.evidence.series import Array
from weaklink.judge.rules._draws import mark_samples
from weaklink.judge.rules._marked import measure_marked
from weaklink.judge.rules.writing import HIGH, Answer, CannotTell, Evidence, Finding, Level, Link, rule

UNFINISHED = "cut off without an answer"
FEWEST, FULL, VERDICTS = 8, 0.9, 12
"""Rows that were cut; the part of the range of rewards that is a full reward; and the values of a verdict: a score of
how good a text reads may be high for half a text."""


@rule(
    "LLM367",
    link=Link.REWARD,
    level=Level.WARN,
    on=Samples,
    needs=("truncated", "answer_stated", "reward"),
    leads_to=("LLM301", "LLM302", "LLM303", "LLM309", "LLM311", "LLM368", "SYS301"),
)
def paid_truncations(samples: Samples, *, limit: float = 0.05) -> Answer:
    """Completions that were cut off before any answer are paid as if they were right.

    ## What it sees
    There is a reference, rewards are verdicts (12 values or fewer), and whole completions with the highest reward state
    an answer. More than 0.05 of the last completions were cut off by a limit and state none, and on average these get
    0.9 or more of the range from the lowest reward to the highest.

    ## Why it is bad
    The verifier cannot have read an answer. What it pays for is not to come to an end, so completions grow until all
    are cut off.

    ## What to do
    1. Give a completion without an answer what a wrong one gets, or mask it out of the loss.
    2. Look for a default in the parser: no answer must not compare equal to anything.
    3. Check that the grader gets the text of the same row.

    ## How to prove it
    Score the first half of ten right completions with the reward function: none may be paid.

    ## When it is wrong
    Answers that stand at the beginning of a text, in words that are not recognised.

    ## References
    Yu et al., DAPO, 2025 (what truncated completions should earn).
    """
    marked = mark_samples(samples, UNFINISHED, _mark_unfinished)
    found = measure_marked(marked, UNFINISHED, "reward")
    if isinstance(found, CannotTell):
        return found
    reward, cut = found.late["reward"], found.late[UNFINISHED] == 1.0
    low, high = float(found.rows["reward"].min()), float(found.rows["reward"].max())
    if not found.over(limit) or cut.sum() < FEWEST or not 2 <= len(np.unique(found.rows["reward"])) <= VERDICTS:
        return None
    paid = float(reward[cut].mean())
    if paid < low + FULL * (high - low) or not _are_answers_known(found.rows):
        return None
    return Finding(
        message=f"{found.share:.0%} of the completions are truncated without an answer (limit "
        f"{limit:.0%}{found.since}) and get {paid:.3g} reward on average, where the highest is {high:.3g}: unfinished "
        "texts are paid as if they were right.",
        confidence=HIGH,
        evidence=(Evidence(metric="truncated", value=found.share, limit=limit),),
    )


def _are_answers_known(rows: Samples) -> bool:
    """Whether whole completions with the highest reward state an answer: programs and lists of steps have none."""
    best = (rows["reward"] == rows["reward"].max()) & (rows["truncated"] == 0.0)
    return int(best.sum()) >= FEWEST and float(rows["answer_stated"][best].mean()) >= FULL


def _mark_unfinished(samples: Samples) -> Array:
    if "truncated" not in samples or "answer_stated" not in samples:
        return np.full(len(samples), np.nan)
    cut, stated = samples["truncated"], samples["answer_stated"]
    return np.where(np.isfinite(cut) & np.isfinite(stated), (cut == 1.0) & (stated == 0.0), np.nan)
