from __future__ import annotations

import numpy as np

from weaklink.base.evidence.samples import Samples
from weaklink.base.evidence.series import Array
from weaklink.judge.rules._draws import FEWEST_ROWS, hash_draws, select_complete
from weaklink.judge.rules._samples import LIKELY, SURE
from weaklink.judge.rules.writing import HIGH, MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule

WIDE = 0.35
"""The share of the clearest pairs in which the rejected side may have the higher score. Reward models agree with people
in 65 to 75 % of all pairs, and in more of those whose scores are far apart."""

ALIKE, NO_LESS = 0.2, 0.8
"""The share of the clearest pairs from which on labels are swapped at random, where it is this part, or more, of that
of close pairs: scores that are merely noisy contradict clear pairs far less often than close ones."""


@rule(
    "LLM316",
    link=Link.DATA,
    level=Level.ERROR,
    on=Samples,
    needs=("chosen_quality", "rejected_quality"),
    leads_to=("LLM301", "LLM305", "LLM311", "LLM317", "REW305"),
)
def reversed_preferences(samples: Samples, *, most: float = 0.6) -> Answer:
    """In many preference pairs the rejected completion is the better one.

    ## What it sees
    Of the pairs whose two completions differ in quality, the rejected one wins in over 60 %, beyond chance. Quality is
    the gold or human score of the two where the rows give it, else a simple statistic of their texts. Where rows give
    scores, it is an alarm too where the rejected one has the higher score in over 35 % of the pairs, beyond chance, and
    of the half whose scores are furthest apart, or in over 20 % of these and no less often than of the close half:
    noise swaps close pairs, and a swapped field swaps all alike.

    ## Why it is bad
    A reward model trained on swapped pairs rewards the worse answer, and a policy trained on them (DPO) learns it. The
    loss falls just as on correct pairs.

    ## What to do
    1. Read ten pairs and say which one you would choose.
    2. Look at where `chosen` and `rejected` are assigned: a reversed sort, a score that is better when it is lower, an
       index of the winner that counts from 1.
    3. Swap them back, and keep a test that the mean score of the chosen ones is higher.

    ## How to prove it
    Have the two completions of fifty pairs judged blind: the chosen ones must win in most.

    ## When it is wrong
    A statistic of texts knows nothing of their content: where preferences are for brevity or for refusing, it can point
    the other way. A score of each completion settles it.

    ## References
    Wang et al., Secrets of RLHF in Large Language Models, Part II: Reward Modeling, 2024 (wrong and swapped
    preferences).
    """
    rows = select_complete(samples, "chosen_quality", "rejected_quality")
    lead = np.sign(rows["rejected_quality"] - rows["chosen_quality"])
    differ = lead != 0
    if differ.sum() < FEWEST_ROWS:
        return CannotTell(("chosen_quality",), f"fewer than {FEWEST_ROWS} pairs that differ in quality")
    won = (lead[differ] > 0).astype(float)
    _, owner, sizes = np.unique(hash_draws(rows)[differ], return_inverse=True, return_counts=True)
    share = float(won.mean())
    excess = np.bincount(owner, won - 0.5)
    error = float(np.sqrt(max((excess**2).sum(), 0.25 * len(won)))) / len(won)
    if share <= most or (share - 0.5) / error < SURE or len(sizes) < FEWEST_ROWS:
        return _judge_clearest(rows)
    return Finding(
        message=f"The rejected completion is the better one in {share:.0%} of {len(won):,} pairs that differ "
        f"(limit {most:.0%}).",
        confidence=HIGH if share > 0.8 else MEDIUM,
        level=Level.ERROR if share > 0.8 else Level.WARN,
        evidence=(Evidence(metric="rejected is better", value=share, limit=most),),
    )


def _judge_clearest(rows: Samples) -> Answer:
    """Whether chosen and rejected are swapped in many of the pairs whose given scores are furthest apart.

    Pairs that are over the limit and too few to be sure of it are no evidence of anything, of health neither.
    """
    scored = rows["pair_scored"] == 1.0 if "pair_scored" in rows else np.zeros(len(rows), bool)
    lead = (rows["rejected_quality"] - rows["chosen_quality"])[
        scored & (rows["rejected_quality"] != rows["chosen_quality"])
    ]
    wide = lead[np.abs(lead) >= np.median(np.abs(lead))] if len(lead) else lead
    if len(wide) < FEWEST_ROWS:
        return None
    share, overall = float((wide > 0).mean()), float((lead > 0).mean())
    if _swaps_all_alike(lead, wide):
        return _swapped(share, len(wide), overall, ALIKE)
    if share <= WIDE or overall <= WIDE:
        return None
    if overall - LIKELY * (0.25 / len(lead)) ** 0.5 <= WIDE:
        return CannotTell(("chosen_quality",), f"too few pairs: the rejected one has the higher score in {overall:.0%}")
    return _swapped(share, len(wide), overall, WIDE)


def _swaps_all_alike(lead: Array, wide: Array) -> bool:
    """Whether scores contradict the labels of pairs that are far apart as often as of pairs that are close."""
    close = lead[np.abs(lead) < np.median(np.abs(lead))]
    if len(close) < FEWEST_ROWS:
        return False
    far, near = float((wide > 0).mean()), float((close > 0).mean())
    error = (far * (1.0 - far) / len(wide)) ** 0.5
    return far - LIKELY * error > ALIKE and far >= NO_LESS * near


def _swapped(share: float, count: int, overall: float, limit: float) -> Finding:
    return Finding(
        message=f"The rejected completion has the higher score in {share:.0%} of the {count:,} pairs whose scores "
        f"are furthest apart (limit {limit:.0%}; {overall:.0%} of all pairs): chosen and rejected are swapped in many, "
        "or the scores measure something else.",
        confidence=MEDIUM,
        level=Level.WARN,
        evidence=(Evidence(metric="rejected is better", value=share, limit=limit),),
    )
