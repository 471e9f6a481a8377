from __future__ import annotations

import numpy as np

from weaklink.base.evidence.samples import Samples
from weaklink.judge.rules._draws import hash_draws, select_complete
from weaklink.judge.rules.writing import HIGH, Answer, CannotTell, Evidence, Finding, Level, Link, rule

FEWEST, MOST_KINDS = 40, 12
"""Rows of a kind, and the commonest kinds that are compared."""


@rule(
    "LLM392",
    link=Link.REWARD,
    level=Level.WARN,
    on=Samples,
    needs=("kind", "reward"),
    leads_to=("LLM301", "LLM302", "LLM311", "LLM312", "LLM317", "REW301", "REW306"),
)
def unlike_scales(samples: Samples, *, times: float = 20.0) -> Answer:
    """One kind of prompt is paid on another scale than the others, and outweighs them.

    ## What it sees
    Rows name their kind (a data source, a category). The highest reward of one kind is at least twenty times that of
    another, and so is the spread of rewards among completions of one prompt. Where advantages are given, theirs must
    differ as much: a division by the standard deviation takes the scale away again.

    ## Why it is bad
    Advantages that are not divided by their deviation are as large as the rewards. One kind decides the direction of
    every update, clipping and penalties are tuned for the other ones, and these are hardly learned.

    ## What to do
    1. Bring all kinds to one scale, such as 0 to 1, where their rewards are made.
    2. Look for a judge that answers in points out of 100 beside verifiers of 0 and 1.
    3. Log the mean and the spread of rewards for each kind.

    ## How to prove it
    Divide the rewards of this kind by the ratio: the others must be learned faster.

    ## When it is wrong
    Kinds that are worth so much more on purpose.

    ## References
    Hessel et al., Multi-task Deep Reinforcement Learning with PopArt, 2019.
    """
    rows = select_complete(samples, "reward", "kind")
    if not len(rows):
        return CannotTell(("kind",), "no row has a kind and a reward")
    judged = "advantage" if "advantage" in rows else "reward"
    kinds, place, counts = np.unique(rows.codes["kind"], return_inverse=True, return_counts=True)
    common = [at for at in np.argsort(-counts, kind="stable")[:MOST_KINDS] if counts[at] >= FEWEST]
    scales = {int(kinds[at]): _measure_scale(rows.where(place == at), judged) for at in common}
    known = {kind: scale for kind, scale in scales.items() if min(scale) > 0.0}
    if len(known) < 2:
        return CannotTell(("kind",), f"fewer than two kinds of {FEWEST} rows whose rewards vary")
    large, small = (pick(known, key=lambda kind: known[kind][0]) for pick in (max, min))
    top, spread = (known[large][at] / known[small][at] for at in (0, 1))
    if min(top, spread) < times:
        return None
    names = samples.names.get("kind", {})
    first, second = (names.get(kind, "one kind") for kind in (large, small))
    return Finding(
        message=f"The scale of rewards differs: those of {first} reach {known[large][0]:g}, those of {second} "
        f"{known[small][0]:g}, and the {judged} spreads {spread:,.0f} times as far among completions of one prompt "
        f"(limit {times:g} times): {first} dominates every update.",
        confidence=HIGH,
        evidence=(Evidence(metric=f"spread of the {judged} of {first}", value=spread, limit=times),),
    )


def _measure_scale(rows: Samples, judged: str) -> tuple[float, float]:
    """The largest reward without its sign, and how far rewards or advantages spread among completions of one prompt."""
    known = rows.where(np.isfinite(rows[judged]))
    if not len(known):
        return 0.0, 0.0
    _, owner, sizes = np.unique(hash_draws(known), return_inverse=True, return_counts=True)
    values = known[judged]
    left = values - (np.bincount(owner, values) / sizes)[owner]
    return float(np.abs(known["reward"]).max()), float(np.sqrt((left**2).mean()))
