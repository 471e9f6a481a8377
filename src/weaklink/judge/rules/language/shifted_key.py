from __future__ import annotations

import numpy as np

from weaklink.base.evidence.samples import Samples
from weaklink.judge.rules._draws import select_complete
from weaklink.judge.rules.writing import HIGH, Answer, CannotTell, Evidence, Finding, Level, Link, rule

FEWEST, FEWEST_PROMPTS, FEWEST_LETTERS = 60, 20, 3
"""Rows that choose an option, their prompts, and letters that are right somewhere."""
TIMES = 3.0
"""How much more frequent one distance must be than any other: what the key says may be learned meanwhile."""
PLACES = {1: "the option after", -1: "the option before"}


@rule(
    "LLM391",
    link=Link.DATA,
    level=Level.WARN,
    on=Samples,
    needs=("option_gap", "reference", "prompt"),
    leads_to=("LLM301", "LLM302", "LLM308", "LLM309", "LLM311", "LLM327", "LLM337", "LLM370"),
)
def shifted_key(samples: Samples, *, limit: float = 0.5) -> Answer:
    """The answer key names another option than the right one, always as many places off.

    ## What it sees
    Prompts list options by their letters. More than half of the answers choose an option at one and the same distance
    from that of the key, such as the one before it, three times as many as at any other distance but none, and this
    holds for each of three letters of the key or more.

    ## Why it is bad
    Options were counted from 0 in one place and from 1 in another, or shuffled without their key. Right answers earn
    nothing, and the policy is trained to name the wrong option.

    ## What to do
    1. Answer ten questions by hand and hold the answers against the key.
    2. Look for where an index becomes a letter: is the first option 0 or 1?
    3. Store the text of the right option beside its letter, and assert that both agree.

    ## How to prove it
    Move the key back by this distance: the accuracy of the untrained model must jump.

    ## When it is wrong
    Tasks that ask for a neighbour of the right option.

    ## References
    Northcutt et al., Pervasive Label Errors, 2021.
    """
    rows = select_complete(samples, "option_gap", "reference", "prompt")
    if len(rows) < FEWEST or len(np.unique(rows.codes["prompt"])) < FEWEST_PROMPTS:
        return CannotTell(("option_gap",), f"fewer than {FEWEST} rows, or {FEWEST_PROMPTS} prompts, with options")
    gap = np.maximum(rows["option_gap"], 0.0).astype(np.int64)
    counts = np.bincount(gap)
    place = int(np.argmax(counts))
    others = int(np.delete(counts, [0, place]).max(initial=0)) if place else 0
    share = float(counts[place] / len(gap))
    if not place or share <= limit or counts[place] < TIMES * others or not _holds_for_letters(rows, gap == place):
        return None
    many = int(np.nanmax(rows["options"])) if "options" in rows else 0
    off = place - many if many and place > many // 2 else place
    side = PLACES.get(off, f"the option {abs(off)} places {'after' if off > 0 else 'before'}")
    return Finding(
        message=f"The answer key is off: {share:.0%} of {len(gap):,} answers choose {side} the one that the key calls "
        f"right (limit {limit:.0%}), {counts[0] / len(gap):.0%} that one: labels name the wrong option, so right "
        "answers earn nothing.",
        confidence=HIGH,
        evidence=(Evidence(metric="answers at one distance from the key", value=share, limit=limit),),
    )


def _holds_for_letters(rows: Samples, there: np.ndarray) -> bool:
    """Whether most answers lie there for several letters of the key: who always says A is off by another each time."""
    _, letter = np.unique(rows.codes["reference"], return_inverse=True)
    sizes = np.bincount(letter)
    most = np.bincount(letter, there) > 0.5 * sizes
    return int((most & (sizes >= FEWEST // 10)).sum()) >= FEWEST_LETTERS
