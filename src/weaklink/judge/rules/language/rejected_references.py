from __future__ import annotations

import numpy as np

from weaklink.base.evidence.samples import Flags, Samples
from weaklink.judge.rules._draws import FEWEST_DRAWS, hash_draws, select_complete
from weaklink.judge.rules.writing import HIGH, MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule

FEWEST = 8
"""Rejected rows: with fewer a share is chance."""


@rule(
    "LLM348",
    link=Link.REWARD,
    level=Level.WARN,
    on=Samples,
    needs=("gives_reference", "reward"),
    leads_to=("LLM301", "LLM308", "LLM312", "LLM311"),
)
def rejected_references(samples: Samples, *, share: float = 0.2) -> Answer:
    """Completions that are the reference to the letter get the lowest reward.

    ## What it sees
    Of completions that are the reference but for spacing, case, a code fence and a full stop (references of some
    length, such as a query or a translation), 0.2 or more get the lowest reward of all rows, while others get more. The
    message names the kind of prompts where all of them are of one kind.

    ## Why it is bad
    A checker that rejects the reference itself does not work: it fails, times out or compares with another field.
    Nothing can be learned on these prompts, and the mean over all kinds hides it.

    ## What to do
    1. Call the reward function on the reference of ten of these rows: it must pay in full.
    2. Look for an error that is caught and paid as 0, and for a field that this kind of prompts does not have.
    3. Log the reward by kind of prompt.

    ## How to prove it
    Score the reference answers of each kind: all must get the highest reward.

    ## When it is wrong
    References that are wrong themselves, or that must not be given, such as an answer to be paraphrased.

    ## References
    verl documentation, on reward functions by `data_source`.
    """
    rows = select_complete(samples, "gives_reference", "reward")
    given: Flags = rows["gives_reference"] == 1.0
    known = samples["reward"][np.isfinite(samples["reward"])]
    drawn = len(np.unique(hash_draws(rows)[given]))
    if given.sum() < FEWEST or drawn < FEWEST_DRAWS:
        return CannotTell(("answer",), f"fewer than {FEWEST} completions are the reference")
    unpaid: Flags = given & (rows["reward"] == known.min())
    part = float(unpaid.sum() / given.sum())
    if unpaid.sum() < FEWEST or part < share or known.min() == known.max():
        return None
    return Finding(
        message=f"{part:.0%} of the {given.sum():,} completions that are the reference to the letter get the lowest "
        f"reward{_tell_kind(rows, unpaid)} (limit {share:.0%}): the reward rejects right answers.",
        confidence=HIGH if part > 0.5 else MEDIUM,
        evidence=(Evidence(metric="references with the lowest reward", value=part, limit=share),),
    )


def _tell_kind(rows: Samples, unpaid: Flags) -> str:
    """The kind of prompts that all of them are of, where there are others."""
    if "kind" not in rows:
        return ""
    kinds = np.unique(rows.codes["kind"][unpaid])
    if len(kinds) != 1:
        return ""
    same = rows.codes["kind"] == kinds[0]
    never = "; none of this kind of prompts is ever paid" if np.ptp(rows["reward"][same]) == 0.0 else ""
    return f", all of the kind '{rows.names.get('kind', {}).get(int(kinds[0]), '?')}'{never}"
