from __future__ import annotations

import numpy as np

from weaklink.base.evidence.samples import Samples
from weaklink.judge.rules._draws import hash_draws, select_complete
from weaklink.judge.rules._marked import measure_marked
from weaklink.judge.rules.writing import HIGH, Answer, CannotTell, Evidence, Finding, Level, Link, rule

FEWEST = 30
"""Draws whose texts say what they are about."""

SAYS = {
    "foreign_prompt": ("Completions and prompts are mixed up", "are about the prompt of another row near theirs"),
    "foreign_reference": ("References are mixed up", "are worded like the reference of another row near theirs"),
}


@rule(
    "LLM382",
    link=Link.DATA,
    level=Level.ERROR,
    on=Samples,
    needs=(("foreign_prompt", "foreign_reference"),),
    leads_to=("LLM301", "LLM308", "LLM311", "LLM331", "LLM338", "LLM359", "REW301", "REW304", "REW305"),
)
def foreign_texts(samples: Samples, *, limit: float = 0.2) -> Answer:
    """Completions stand beside the prompts or references of other rows.

    ## What it sees
    The rare words and numbers that a completion shares with the prompts, and with the references, of draws near its own
    (eight before and after, and all of its step). A completion is foreign where half of its rare words or more, by how
    rare they are, stand with one other draw and less than half as much with its own. It is an alarm where more than
    0.2 of the last rows are foreign, beyond chance, while others are at home: at least a fifth, so that both sides are
    in the same words at all. Each other draw may own the texts of two at most: what was exchanged went to one.

    ## Why it is bad
    The reward judges a text that does not belong to what was asked. Good completions are punished, and what is learned
    has nothing to do with the prompt.

    ## What to do
    1. Find the first rows that are foreign: which batch, and what was sorted, filtered or gathered there?
    2. Keep prompt, completion and reference in one record, and join by an id instead of by position.
    3. Read ten rows of the file aloud, prompt and completion one after the other.

    ## How to prove it
    Put a number of its own into each prompt, to be repeated in the answer: each row must hold its own twice.

    ## When it is wrong
    Prompts that continue one another, such as the turns of one conversation in rows of their own.

    ## References
    Northcutt et al., Pervasive Label Errors, 2021.
    """
    told = [_judge(samples, name, limit) for name in SAYS if name in samples]
    findings = [answer for answer in told if isinstance(answer, Finding)]
    return findings[0] if findings else told[0]


def _judge(samples: Samples, name: str, limit: float) -> Finding | CannotTell | None:
    if len(np.unique(hash_draws(select_complete(samples, name)))) < FEWEST:
        return CannotTell((name,), f"the texts of fewer than {FEWEST} draws say what they are about")
    found = measure_marked(samples, name)
    if isinstance(found, CannotTell) or not found.over(limit):
        return found if isinstance(found, CannotTell) else None
    title, told = SAYS[name]
    return Finding(
        message=f"{title}: {found.share:.0%} of the completions {told} and not like their own (limit {limit:.0%}"
        f"{found.since}): they belong to other rows, so rows are shifted or shuffled.",
        onset=found.onset,
        confidence=HIGH,
        evidence=(Evidence(metric=name, value=found.share, limit=limit),),
    )
