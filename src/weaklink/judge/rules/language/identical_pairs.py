from __future__ import annotations

import numpy as np

from weaklink.base.evidence.samples import Samples
from weaklink.judge.rules._draws import FEWEST_ROWS, select_complete
from weaklink.judge.rules._samples import LIKELY
from weaklink.judge.rules.writing import HIGH, Answer, CannotTell, Evidence, Finding, Level, Link, rule


@rule(
    "LLM328",
    link=Link.DATA,
    level=Level.WARN,
    on=Samples,
    needs=("same_pair",),
    leads_to=("LLM316", "LLM301"),
)
def identical_pairs(samples: Samples, *, limit: float = 0.05) -> Answer:
    """Both sides of many preference pairs are the same text.

    ## What it sees
    The share of pairs whose chosen and rejected text are the same but for spacing is above 0.05, beyond chance.

    ## Why it is bad
    Such a pair has no preference in it. Its gradient is zero under a pairwise loss whatever the model does, the loss
    cannot fall below log 2 on it, and accuracy over pairs is a mean over coin tosses.

    ## What to do
    1. Look at where the two sides are taken from: an index that is used twice, a best-of-n whose best is also its
       worst, sampling at temperature 0.
    2. Drop these pairs, and sample pairs from different completions.

    ## How to prove it
    Count the pairs with equal sides in the source of the data and after each step that prepares it: the step in which
    the count jumps made them.

    ## When it is wrong
    Chosen and rejected differ in something that the rows leave out, such as calls of tools or the prompt.

    ## References
    Rafailov et al., Direct Preference Optimization, 2023: the loss depends on the difference of the two sides alone.
    """
    rows = select_complete(samples, "same_pair")
    count = len(rows)
    if count < FEWEST_ROWS:
        return CannotTell(("chosen",), f"fewer than {FEWEST_ROWS} pairs")
    same = float(np.sum(rows["same_pair"] == 1.0))
    guess = (same + 1) / (count + 2)
    if guess - LIKELY * (guess * (1 - guess) / count) ** 0.5 <= limit:
        return None
    return Finding(
        message=f"Chosen and rejected are the same text in {same:,.0f} of {count:,} pairs ({same / count:.0%}, limit "
        f"{limit:.0%}).",
        confidence=HIGH,
        evidence=(Evidence(metric="same_pair", value=same / count, limit=limit),),
    )
