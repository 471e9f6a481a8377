from __future__ import annotations

import numpy as np

from weaklink.base.evidence.samples import Samples
from weaklink.base.evidence.series import Array
from weaklink.judge.rules._draws import find_steps, mark_samples, select_single_turns
from weaklink.judge.rules._marked import measure_marked
from weaklink.judge.rules.writing import HIGH, Answer, CannotTell, Evidence, Finding, Level, Link, rule

PADDED = 0.9
"""The share of rows as long as the longest of their step, from which on they were padded to it."""
CUT = "completions without loss at their end"


@rule(
    "LLM364",
    link=Link.DATA,
    level=Level.WARN,
    on=Samples,
    needs=("masked_tail",),
    leads_to=("LLM302", "LLM308", "LLM309", "LLM310", "REW301", "REW304"),
)
def masked_completions(samples: Samples, *, part: float = 0.1, limit: float = 0.2) -> Answer:
    """The loss mask leaves out the end of completions, where their answers stand.

    ## What it sees
    Rows give a mask of the loss and the log-probabilities of the same tokens. In more than 0.2 of the last completions
    of one turn the mask is 0 over a tenth or more of the tokens, from some place to the end. Masks that are 0 over a
    whole completion do not count, nor does padding.

    ## Why it is bad
    The tokens that are left out get no gradient. The final answer and the end of the sequence are mostly among them, so
    the reward for an answer teaches everything but the answer, and nothing teaches when to stop.

    ## What to do
    1. Build the mask from the length of each completion, after it was tokenised, and not from that of another row.
    2. Look for a limit on length that cuts the mask and not the tokens, and for masks that are shifted by the prompt.
    3. Print one row, token by token, with its mask.

    ## How to prove it
    Take the gradient of the loss with respect to the log-probability of each token: it must not be 0 at the end.

    ## When it is wrong
    Tokens that are left out on purpose, such as what comes after a step that is known to be wrong.

    ## References
    TRL issue #4975; verl issue #1037.
    """
    rows = select_single_turns(samples)
    if "masked_tail" not in rows:
        return CannotTell(("masked_tail",), "trajectories leave out what tools say")
    if _are_padded(rows):
        return CannotTell(("masked_tail",), "rows of one step are padded to one length, which masks leave out")
    marked = mark_samples(rows, CUT, lambda some: _mark_cut(some, part))
    found = measure_marked(marked, CUT)
    if isinstance(found, CannotTell):
        return found
    if not found.over(limit):
        return None
    tail = float(found.late["masked_tail"].mean())
    return Finding(
        message=f"In {found.share:.0%} of the completions the loss mask ends early (limit {limit:.0%}): {tail:.0%} of "
        "their tokens, at the end, where answers stand, are masked out and not trained.",
        confidence=HIGH,
        evidence=(Evidence(metric="masked_tail", value=found.share, limit=limit),),
    )


def _are_padded(rows: Samples) -> bool:
    """Whether rows of one step are all as long as the longest of them."""
    if "token_places" not in rows:
        return False
    steps, places = find_steps(rows), rows["token_places"]
    owner = np.zeros(len(rows), np.int64) if steps is None else np.unique(steps, return_inverse=True)[1].reshape(-1)
    longest = np.zeros(int(owner.max()) + 1 if len(owner) else 1)
    np.maximum.at(longest, owner, np.nan_to_num(places))
    return bool(float((places == longest[owner]).mean()) >= PADDED) if len(rows) else False


def _mark_cut(samples: Samples, part: float) -> Array:
    tail = samples["masked_tail"] if "masked_tail" in samples else np.full(len(samples), np.nan)
    return np.where(np.isfinite(tail), tail >= part, np.nan)
