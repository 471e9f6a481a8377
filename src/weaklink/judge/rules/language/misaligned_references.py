from __future__ import annotations

import numpy as np

from weaklink.base.evidence.samples import Flags, Ints, Samples
from weaklink.judge.rules._draws import select_complete
from weaklink.judge.rules.writing import HIGH, MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule

FEWEST, FEWEST_ANSWERS = 20, 10
"""Prompts, and different references among them: letters of a choice agree with their neighbours by chance."""
FURTHEST = 8
"""Prompts before and after to look at."""
AGREED = 0.5
"""The share of the completions of a prompt that must agree on an answer."""
APART = 4.0
"""Times as often as at any other distance: chance meets all distances alike."""


@rule(
    "LLM356",
    link=Link.DATA,
    level=Level.WARN,
    on=Samples,
    needs=("answer", "reference", "prompt", "length"),
    leads_to=("LLM301", "LLM308", "LLM311", "LLM312", "LLM317", "LLM359"),
)
def misaligned_references(samples: Samples, *, limit: float = 0.15) -> Answer:
    """References belong to other prompts: answers are those of the prompt before or after.

    ## What it sees
    Prompts in the order of their first rows, the commonest answer to each, and the reference of each. For more than
    0.15 of the prompts that answer is not their own reference and is that of the prompt at one certain distance, up to
    eight before or after, and four times as often as at any other distance. It is an alarm too where the answer that
    half of the completions of a prompt or more agree on is the reference of any other prompt, none gives its own, and
    that one is in turn what completions of another such prompt agree on.

    ## Why it is bad
    Right answers are marked wrong, and a wrong one is right by accident. From the place at which the lists went apart
    nothing can be learned but the answers to other questions.

    ## What to do
    1. Find the first prompt with a foreign reference: what was dropped, filtered or sorted there?
    2. Keep prompt and reference in one record through every filter, and join by an id instead of by position.
    3. Score a few right answers by hand against the references that the trainer sees.

    ## How to prove it
    Answer ten prompts by hand: the references must be those answers.

    ## When it is wrong
    Prompts that ask for what the next one gives, such as the terms of one sequence.

    ## References
    Northcutt et al., Pervasive Label Errors, 2021.
    """
    rows = select_complete(samples, "answer", "reference", "prompt", "length")
    if not len(rows):
        return CannotTell(("answer",), "no row has an answer, a reference and a prompt")
    answers, references = _list_prompts(rows)
    if len(answers) < FEWEST or len(np.unique(references)) < FEWEST_ANSWERS:
        return CannotTell(("answer",), f"fewer than {FEWEST} prompts with {FEWEST_ANSWERS} different references")
    wrong = answers != references
    shares = {off: _match_at(answers, references, wrong, off) for off in range(-FURTHEST, FURTHEST + 1) if off}
    place = max(shares, key=lambda off: shares[off])
    others = max(share for off, share in shares.items() if off != place)
    if shares[place] <= limit or shares[place] < APART * others:
        return _find_scattered(rows, limit)
    side = "after" if place > 0 else "before"
    whose = f"the prompt {side} theirs" if abs(place) == 1 else f"the prompt {abs(place)} places {side} theirs"
    return Finding(
        message=f"References are misaligned: the usual answer to {shares[place]:.0%} of {len(answers):,} prompts is "
        f"not their own reference and is the reference of {whose} (limit {limit:.0%}; {others:.0%} at any other "
        "place), so right answers count as wrong.",
        confidence=HIGH if shares[place] > 2 * limit else MEDIUM,
        evidence=(Evidence(metric="answers that are another prompt's reference", value=shares[place], limit=limit),),
    )


def _list_prompts(rows: Samples) -> tuple[Ints, Ints]:
    """The commonest answer to each prompt and its reference, in the order of their first rows."""
    prompts, first, owner = np.unique(rows.codes["prompt"], return_index=True, return_inverse=True)
    answers, place = np.unique(rows.codes["answer"], return_inverse=True)
    pairs, counts = np.unique(owner * len(answers) + place, return_counts=True)
    order = np.argsort(counts, kind="stable")
    usual = np.zeros(len(prompts), np.int64)
    usual[pairs[order] // len(answers)] = answers[pairs[order] % len(answers)]
    by_place = np.argsort(first)
    return usual[by_place], rows.codes["reference"][first][by_place]


def _match_at(answers: Ints, references: Ints, wrong: Flags, off: int) -> float:
    """The share of prompts whose answer is wrong and the reference of the prompt so many places on."""
    here, there = slice(max(-off, 0), len(answers) - max(off, 0)), slice(max(off, 0), len(answers) + min(off, 0))
    return float((wrong[here] & (answers[here] == references[there])).sum() / len(answers))


def _find_scattered(rows: Samples, limit: float) -> Finding | None:
    """References that were exchanged: what completions agree on is another prompt's, and their own is never given."""
    _, first, owner, sizes = np.unique(rows.codes["prompt"], return_index=True, return_inverse=True, return_counts=True)
    owner, answers, references = owner.reshape(-1), rows.codes["answer"], rows.codes["reference"]
    pairs, counts = np.unique(np.stack((owner, answers)), axis=1, return_counts=True)
    agreed = pairs[:, (counts >= AGREED * sizes[pairs[0]]) & (counts > 1)]
    own = references[first]
    given = np.zeros(len(sizes), bool)
    np.logical_or.at(given, owner, answers == references)
    strange = agreed[:, ~given[agreed[0]] & np.isin(agreed[1], own)]
    # what was taken from one prompt went to another: mistakes go to favourites instead
    exchanged = strange[:, np.isin(own[strange[0]], strange[1])]
    share = len(np.unique(exchanged[0])) / len(sizes)
    if share <= limit:
        return None
    return Finding(
        message=f"Ground truths are mixed up: for {share:.0%} of {len(sizes):,} prompts the answer that most "
        f"completions agree on is the reference of another prompt, and their own is never given (limit {limit:.0%}), "
        "so right answers count as wrong.",
        confidence=HIGH if share > 2 * limit else MEDIUM,
        evidence=(Evidence(metric="answers that are another prompt's reference", value=share, limit=limit),),
    )
