from __future__ import annotations

import numpy as np

from weaklink.base.evidence.samples import Samples
from weaklink.judge.rules._draws import select_complete
from weaklink.judge.rules._samples import LIKELY
from weaklink.judge.rules.writing import HIGH, Answer, CannotTell, Evidence, Finding, Level, Link, rule

FEWEST_PAIRS = 20
"""Pairs that a judge was shown in both orders."""

VOTES = ("chosen_quality", "rejected_quality")


@rule(
    "LLM371",
    link=Link.REWARD,
    level=Level.WARN,
    on=Samples,
    needs=("first_won", "pair", "pair_side"),
    leads_to=("LLM302", "LLM306", "LLM311", "LLM316", "LLM352"),
)
def position_bias(samples: Samples, *, limit: float = 0.3, lean: float = 0.15) -> Answer:
    """A judge of pairs prefers whatever stands in one position: where the order is swapped, the winner changes.

    ## What it sees
    Twenty pairs or more were shown to a judge in both orders. In more than 0.3 of them, beyond chance, the same
    position won both times, and in three quarters of these it is the same one of the two. Where people voted on the
    same pairs, their votes tell it without a second order: a judge that errs by chance picks either place where it
    contradicts them. It is an alarm where its errors for one place outnumber those for the other by more than 0.15 of
    all pairs, beyond chance.

    ## Why it is bad
    Such a verdict says nothing about the answers. Rewards and preferences that are made of it are noise, and where one
    side is always the policy's answer they are a constant.

    ## What to do
    1. Ask in both orders and take only verdicts that agree; count the others as ties.
    2. Draw the order at random where asking twice costs too much.
    3. Ask for a score of each answer by itself, or take a judge that heeds the content.

    ## How to prove it
    Show fifty pairs in both orders, and count in how many the winner stays.

    ## When it is wrong
    Pairs of answers that are equally good, of which a judge may take the first on purpose.

    ## References
    Zheng et al., Judging LLM-as-a-Judge with MT-Bench and Chatbot Arena, 2023 (position bias).
    """
    rows = select_complete(samples, "first_won", "pair", "pair_side")
    _, owner = np.unique(rows.codes["pair"], return_inverse=True)
    owner = owner.reshape(-1)
    counts, wins = np.bincount(owner), np.bincount(owner, rows["first_won"])
    shown_first = np.bincount(owner, rows["first_won"] == rows["pair_side"])
    both = (counts == 2) & (shown_first == 1)  # twice, each text first once
    total = int(both.sum())
    if total < FEWEST_PAIRS and all(name in samples for name in ("pair_scored", *VOTES)):
        return _compare_with_votes(select_complete(samples, "first_won", *VOTES), lean)
    if total < FEWEST_PAIRS:
        return CannotTell(("first_won",), f"fewer than {FEWEST_PAIRS} pairs were judged in both orders")
    first, second = (int((both & (wins == side)).sum()) for side in (2, 0))
    turned, most = first + second, max(first, second)
    share = turned / total
    if share - 2.0 * float(np.sqrt(share * (1.0 - share) / total)) <= limit or most < 0.75 * turned:
        return None
    place = "first" if first > second else "second"
    return Finding(
        message=f"The judge has a position bias: in {share:.0%} of {total:,} pairs (limit {limit:.0%}) swapping the "
        f"order of the answers swaps the winner, mostly since the {place} answer wins, whichever it is.",
        confidence=HIGH,
        evidence=(Evidence(metric="first_won", value=share, limit=limit),),
    )


def _compare_with_votes(rows: Samples, lean: float) -> Answer:
    """Whether the judge contradicts those who scored both sides for the sake of one place far more than the other."""
    wrong = rows["rejected_quality"] > rows["chosen_quality"]
    first, errors = int((wrong & (rows["first_won"] == 1.0)).sum()), int(wrong.sum())
    if len(rows) < FEWEST_PAIRS:
        return CannotTell(("first_won",), f"fewer than {FEWEST_PAIRS} pairs with a vote")
    excess = abs(2 * first - errors) / len(rows)
    if excess - LIKELY * errors**0.5 / len(rows) <= lean:
        return None
    place, count = ("first", first) if 2 * first > errors else ("second", errors - first)
    return Finding(
        message=f"The judge has a position bias: where it contradicts the scores of the two answers ({errors:,} of "
        f"{len(rows):,} pairs), it prefers the {place} answer in {count / errors:.0%}, whichever that is.",
        confidence=HIGH,
        evidence=(Evidence(metric="errors for one place", value=excess, limit=lean),),
    )
