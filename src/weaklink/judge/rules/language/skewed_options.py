from __future__ import annotations

import numpy as np

from weaklink.base.evidence.samples import Samples
from weaklink.judge.rules._draws import select_complete
from weaklink.judge.rules.writing import HIGH, Answer, CannotTell, Evidence, Finding, Level, Link, rule

FEWEST_OPTIONS, FEWEST_PROMPTS = 3, 20
"""Options of a prompt: of two, one may well be right more often; and different prompts."""
LETTERS = frozenset("abcdefgh")


@rule(
    "LLM369",
    link=Link.DATA,
    level=Level.WARN,
    on=Samples,
    needs=("options", "reference", "prompt"),
    leads_to=("LLM301", "LLM302", "LLM304", "LLM307", "LLM308", "LLM311", "LLM347", "LLM357"),
)
def skewed_options(samples: Samples, *, limit: float = 0.6) -> Answer:
    """The right option is nearly always the same letter, so that letter can be learned instead of the task.

    ## What it sees
    Prompts list three options or more by letters, the reference is one of these letters, and over twenty different
    prompts or more the same letter is right in 0.6 of them or more.

    ## Why it is bad
    Which option comes first means nothing, so letters should be about equally frequent. Where one is not, answering it
    to everything earns nearly the full reward; the policy stops reading the question, and accuracy on the same data
    rises all the same.

    ## What to do
    1. Shuffle the options of every question, and its reference with them.
    2. Look for a conversion that puts the right option at a fixed place.
    3. Evaluate with shuffled options.

    ## How to prove it
    Shuffle the options and sample again: accuracy must stay as it is.

    ## When it is wrong
    Options with an order of their own, such as scales, whose middle is mostly right.

    ## References
    Zheng et al., Large Language Models Are Not Robust Multiple Choice Selectors, 2024.
    """
    rows = select_complete(samples, "options", "reference", "prompt")
    names = samples.names.get("reference", {})
    kept = (rows["options"] >= FEWEST_OPTIONS) & np.isin(
        rows.codes["reference"], [code for code, name in names.items() if name.strip("()[]. ") in LETTERS]
    )
    _, first = np.unique(rows.codes["prompt"][kept], return_index=True)
    right, counts = np.unique(rows.codes["reference"][kept][first], return_counts=True)
    total = int(counts.sum())
    if total < FEWEST_PROMPTS or kept.mean() < 0.5:
        return CannotTell(("reference",), f"fewer than {FEWEST_PROMPTS} different prompts with options by letters")
    share = float(counts.max() / total)
    if share < limit:
        return None
    letter = names[int(right[counts.argmax()])].strip("()[]. ").upper()
    return Finding(
        message=f"The answer key is skewed: option {letter} is right in {share:.0%} of {total:,} different prompts "
        f"(limit {limit:.0%}){_tell_given(rows, int(right[counts.argmax()]))}.",
        confidence=HIGH,
        evidence=(Evidence(metric="share of one option", value=share, limit=limit),),
    )


def _tell_given(rows: Samples, code: int) -> str:
    """How often completions give that letter, where their answers are read."""
    if "answer" not in rows:
        return ""
    given = rows.names.get("answer", {})
    same = [each for each, name in given.items() if name == rows.names["reference"].get(code)]
    return f", and {float(np.isin(rows.codes['answer'], same).mean()):.0%} of the completions give the same letter"
