from __future__ import annotations

import numpy as np

from weaklink.base.evidence.samples import Samples
from weaklink.judge.rules._draws import select_complete
from weaklink.judge.rules.writing import HIGH, Answer, CannotTell, Evidence, Finding, Level, Link, rule

FEWEST_PAIRS = 50


@rule(
    "LLM370",
    link=Link.DATA,
    level=Level.WARN,
    on=Samples,
    needs=("longer_chosen",),
    leads_to=("LLM302", "LLM306", "LLM311", "LLM316"),
)
def length_preference(samples: Samples, *, limit: float = 0.9) -> Answer:
    """In preference pairs the chosen completion is nearly always the longer one, so length is what they teach.

    ## What it sees
    Of fifty pairs or more, the chosen completion has more words in more than 0.9 of those that differ in length, beyond
    chance. Pairs in which one side refuses or has fewer than twelve words do not count, nor do pairs with scores of
    both sides, which say themselves why one was chosen.

    ## Why it is bad
    A reward model, or a policy that is trained on the pairs directly, learns the feature that tells both sides apart
    most easily. Where length does so, quality is not learned, and completions grow.

    ## What to do
    1. Read ten pairs in which the shorter answer says the same: who chose, and by what?
    2. Balance the pairs: drop some in which the longer one wins, or add some in which the shorter one does.
    3. Hold length fixed: normalise by it (as SimPO does), or regress it out of the score of the reward model.

    ## How to prove it
    Predict the chosen side by length alone on pairs that were held out, and compare with the reward model.

    ## When it is wrong
    Rejected answers that are fragments on purpose, and tasks in which the longer one is right, such as complete lists.

    ## References
    Singhal et al., A Long Way to Go: Investigating Length Correlations in RLHF, 2023. Among human preferences the
    longer answer wins in about 0.6 of the pairs.
    """
    rows = select_complete(samples, "longer_chosen")
    if "pair_scored" in rows:
        rows = rows.where(rows["pair_scored"] != 1.0)
    if len(rows) < FEWEST_PAIRS:
        return CannotTell(("chosen and rejected",), f"fewer than {FEWEST_PAIRS} pairs that differ in length")
    share = float(rows["longer_chosen"].mean())
    if share - 2.0 * float(np.sqrt(share * (1.0 - share) / len(rows))) <= limit:
        return None
    return Finding(
        message=f"In {share:.0%} of {len(rows):,} pairs the chosen completion is the longer one (limit {limit:.0%}): "
        "length alone predicts the preference, so length is learned (length bias).",
        confidence=HIGH,
        evidence=(Evidence(metric="longer_chosen", value=share, limit=limit),),
    )
