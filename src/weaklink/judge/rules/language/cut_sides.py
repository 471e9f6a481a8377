from __future__ import annotations

import numpy as np

from weaklink.base.evidence.samples import Samples
from weaklink.judge.rules._draws import select_complete
from weaklink.judge.rules.writing import HIGH, Answer, CannotTell, Evidence, Finding, Level, Link, rule

FEWEST_PAIRS = 50
WHOLE = 0.05
"""The share of the other side that may break off too."""
ALIKE, ABOVE = 0.15, 0.1
"""How much the lengths of texts that a limit cut may differ (standard deviation over mean), and the share of the texts
of their side that may be whole and longer than they."""


@rule(
    "LLM383",
    link=Link.DATA,
    level=Level.WARN,
    on=Samples,
    needs=("chosen_broken", "rejected_broken", "chosen_words", "rejected_words"),
    leads_to=("LLM302", "LLM306", "LLM311", "LLM316", "LLM370"),
)
def cut_sides(samples: Samples, *, limit: float = 0.3) -> Answer:
    """In preference pairs one side was cut off by a limit, and the other was not.

    ## What it sees
    Of fifty pairs or more, the texts of one side stop in the middle of a sentence in more than 0.3, those of the other
    side in 0.05 at most. Only texts of several sentences count. The texts that stop are about as long as each other,
    and a tenth of the texts of their side at most are whole and longer: a limit on tokens ended them.

    ## Why it is bad
    A reward model, or a policy that is trained on the pairs directly, learns the feature that tells both sides apart
    most easily. Here that is a full stop at the end, and nothing of what the texts say.

    ## What to do
    1. Read the ends of ten pairs.
    2. Generate both sides with the same limit, high enough for whole answers, and leave out those that reach it.
    3. Where a side cannot be generated anew, cut both back to the last whole sentence.

    ## How to prove it
    Predict the chosen side by its last character alone on pairs that were held out.

    ## When it is wrong
    Where an unfinished answer is what is to be rejected, in data that says so.

    ## References
    Singhal et al., A Long Way to Go: Investigating Length Correlations in RLHF, 2023 (on features that stand for
    quality in pairs).
    """
    rows = select_complete(samples, "chosen_broken", "rejected_broken", "chosen_words", "rejected_words")
    if len(rows) < FEWEST_PAIRS:
        return CannotTell(("chosen and rejected",), f"fewer than {FEWEST_PAIRS} pairs")
    shares = {side: float((rows[f"{side}_broken"] == 1.0).mean()) for side in ("chosen", "rejected")}
    cut, whole = sorted(shares, key=lambda side: -shares[side])
    if shares[cut] <= limit or shares[whole] > WHOLE or not _is_capped(rows, cut):
        return None
    return Finding(
        message=f"One side of the pairs is truncated: {shares[cut]:.0%} of the {cut} texts break off in the middle of "
        f"a sentence, all at about {np.median(rows[f'{cut}_words'][rows[f'{cut}_broken'] == 1.0]):.0f} words (limit "
        f"{limit:.0%}), and {shares[whole]:.0%} of the {whole} ones do: the pairs teach to tell a text that was cut "
        "off from one that was not.",
        confidence=HIGH,
        evidence=(Evidence(metric=f"{cut}_broken", value=shares[cut], limit=limit),),
    )


def _is_capped(rows: Samples, side: str) -> bool:
    """Whether texts that break off are about as long as each other, and few of their side are whole and longer."""
    broken, words = rows[f"{side}_broken"] == 1.0, rows[f"{side}_words"]
    lengths = words[broken]
    longer = ~broken & (words > np.quantile(lengths, 1.0 - ABOVE))
    return bool(lengths.std() <= ALIKE * lengths.mean()) and float(longer.mean()) <= ABOVE
