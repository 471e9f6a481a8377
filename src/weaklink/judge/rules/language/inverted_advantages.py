from __future__ import annotations

import numpy as np

from weaklink.base.evidence.samples import Samples
from weaklink.judge.rules._draws import hash_draws, select_complete
from weaklink.judge.rules.writing import HIGH, Answer, CannotTell, Evidence, Finding, Level, Link, rule

FEWEST_PAIRS, FEWEST_GROUPS = 30, 5
"""Rows, and groups, in which both reward and advantage differ."""


@rule(
    "LLM320",
    link=Link.RETURNS,
    level=Level.ERROR,
    on=Samples,
    needs=("advantage", "reward"),
    leads_to=("LLM305", "LLM311", "REW301", "REW305"),
)
def inverted_advantages(samples: Samples, *, most: float = -0.3) -> Answer:
    """Better completions of a group get the lower advantages.

    ## What it sees
    Among completions of one draw, advantages correlate with rewards below -0.3, over five or more groups in which both
    differ. Group-relative advantages are the rewards less their mean, divided by a positive number, so the correlation
    is 1; a critic or shaped rewards make it weaker, never negative.

    ## Why it is bad
    The update makes the worse completions of each group more likely. The loss looks as usual, and the reward falls or
    stays.

    ## What to do
    1. Recompute the advantages of one group by hand: reward less the group's mean, over its standard deviation.
    2. Look for a sign that is applied twice or left out: mean less reward, a negated reward, a cost taken for a reward.
    3. Check that rewards and advantages are of the same rows, in the same order.

    ## How to prove it
    Take one update on a single group: the log-probability of its best completion must rise.

    ## When it is wrong
    Where the logged `reward` is a cost, or leaves out penalties that decide the advantage.

    ## References
    Shao et al., DeepSeekMath, 2024 (group-relative advantages).
    """
    rows = select_complete(samples, "advantage", "reward")
    _, owner = np.unique(hash_draws(rows), return_inverse=True)
    if not len(owner):
        return CannotTell(("advantage",), "no row has both reward and advantage")
    counts = np.bincount(owner)
    centred = [rows[name] - (np.bincount(owner, rows[name]) / counts)[owner] for name in ("reward", "advantage")]
    spread = [np.bincount(owner, column**2) > 1e-12 * (1.0 + np.abs(column).max() ** 2) for column in centred]
    differ = (spread[0] & spread[1])[owner]
    if differ.sum() < FEWEST_PAIRS or (spread[0] & spread[1]).sum() < FEWEST_GROUPS:
        return CannotTell(
            ("advantage",), f"fewer than {FEWEST_PAIRS} rows of groups in which reward and advantage differ"
        )
    paid, credit = (column[differ] for column in centred)
    strength = float((paid @ credit) / np.sqrt((paid @ paid) * (credit @ credit)))
    pulls = np.bincount(owner[differ], paid * credit)
    pulls = pulls[np.unique(owner[differ])]
    against = float((pulls < 0).mean())
    if strength > most or against < 0.5:
        return None
    return Finding(
        message=f"Advantages have the wrong sign: within a group they fall as the reward rises (correlation "
        f"{strength:.2f} over {len(pulls):,} groups), in {against:.0%} of the groups.",
        level=Level.ERROR,
        confidence=HIGH,
        evidence=(Evidence(metric="advantage", value=strength, limit=most),),
    )
