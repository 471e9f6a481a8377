from __future__ import annotations

import numpy as np

from weaklink.base.evidence.samples import Flags, Samples
from weaklink.base.evidence.series import Array
from weaklink.judge.rules._draws import FEWEST_DRAWS, FEWEST_ROWS, hash_draws, select_complete
from weaklink.judge.rules._samples import LIKELY, convert_to_z, ends
from weaklink.judge.rules.writing import HIGH, MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule

FEWEST, FEWEST_WRONG = 30, 8
"""Rows with both scores, and rows that are overrated: with fewer a share is chance."""
CLEAR = 3.0
"""Standard errors by which overrating must exceed underrating; it must be twice as frequent besides."""
SCALES = ((-1.0, 1.0), (1.0, 5.0), (0.0, 5.0), (1.0, 10.0), (0.0, 10.0), (0.0, 100.0))
"""Common scales of scores besides 0 to 1; one is evident where values reach both of its ends and none lies outside."""
PARTNERS = 20
"""Random rows that each row is compared with: enough for an agreement to two digits, in linear time."""


@rule(
    "LLM301",
    link=Link.REWARD,
    level=Level.WARN,
    on=Samples,
    needs=("reward", "human_score"),
    leads_to=("LLM302", "LLM303", "LLM304", "LLM305", "LLM311", "REW305"),
)
def reward_human_mismatch(
    samples: Samples, *, high: float = 0.9, low: float = 0.4, share: float = 0.1, agreement: float = 0.1, seed: int = 0
) -> Answer:
    """The highest rewards do not go to what people rate as good.

    ## What it sees
    Rows with a reward above 0.9 and a human score below 0.4. It is an alarm where they are a tenth or more of the rows
    with the highest reward, and the reward overrates bad rows at least twice as often as it underrates good ones: noise
    alone errs both ways. It is an alarm too where the rankings by reward and by human score hardly agree: of pairs that
    differ in both, those in the same order outnumber the others by less than a tenth.

    Scores on another scale are rescaled to 0 to 1 where the scale is evident (-1 to 1, 1 to 5, 0 to 10 and similar
    ones); otherwise their ranks are used, and the message says so.

    ## Why it is bad
    Training moves towards the highest reward. Where people reject that, the reward curve rises as the model gets worse.

    ## What to do
    1. Read the ten rows with the highest reward and the lowest human scores: what do they have in common?
    2. Look at the components of their reward one by one.
    3. Retrain the reward model with these rows, or close the hole that they exploit.
    4. Keep a set of human scores, and check the reward against it before each training.

    ## How to prove it
    Have fifty rows with the highest reward and fifty random ones judged blind by a second person: the first must win.

    ## When it is wrong
    Human scores of few rows, from hurried judges, or on a scale of which only a part is used.

    ## References
    Gao et al., Scaling Laws for Reward Model Overoptimization, 2022. Both limits are those of an earlier reward audit.
    """
    rows = select_complete(samples, "reward", "human_score")
    if len(rows) < FEWEST or len(np.unique(hash_draws(rows))) < FEWEST_DRAWS:
        return CannotTell(("human_score",), f"fewer than {FEWEST} rows with reward and human score")
    paid, paid_ranked = _unit(rows["reward"])
    human, human_ranked = _unit(rows["human_score"])
    if paid is None or human is None:
        return CannotTell(("reward", "human_score"), "one of the two never changes")
    told = " by rank" if paid_ranked or human_ranked else ""
    everything = np.ones(len(rows), bool)
    parts = ends(rows)
    for part in (everything,) if parts is None else (everything, parts[1]):
        seen = _overrated(rows, paid, human, part, high, low)
        if seen is not None and seen[0] >= share:
            return _overpaid(seen[0], seen[1], high, low, share, told)
    return _unlike(rows, paid, human, agreement, np.random.default_rng(seed))


def _unit(values: Array) -> tuple[Array | None, bool]:
    """The values on a scale from 0 to 1, and whether these are ranks; None for a constant."""
    least, most = float(values.min()), float(values.max())
    if least == most:
        return (values if 0.0 <= least <= 1.0 else None), False
    if least >= 0.0 and most <= 1.0:
        return values, False
    for start, end in SCALES:
        slack = 0.05 * (end - start)
        if start <= least <= start + slack and end - slack <= most <= end:
            return (values - start) / (end - start), False
    order = np.sort(values)
    below = np.searchsorted(order, values, side="left") + np.searchsorted(order, values, side="right")
    return below / (2.0 * len(values)), True


def _overrated(
    rows: Samples, paid: Array, human: Array, part: Flags, high: float, low: float
) -> tuple[float, int] | None:
    """The share of the rows with the highest reward that people reject and their number, beyond noise both ways."""
    best, bad, good = part & (paid > high), part & (human < low), part & (human > 1.0 - low)
    wrong = best & bad
    if best.sum() < FEWEST_ROWS or wrong.sum() < FEWEST_WRONG:
        return None
    under = good & (paid < 1.0 - high)
    over_rate = float(wrong.sum() / bad.sum())
    under_rate = float(under.sum() / good.sum()) if good.any() else 0.0
    _, owner = np.unique(hash_draws(rows)[part], return_inverse=True)
    count = int(owner.max()) + 1
    pull = wrong[part] / bad.sum() - (under[part] / good.sum() if good.any() else 0.0)
    each = np.bincount(owner, pull)
    error = float(np.sqrt((each**2).sum()))
    z = convert_to_z((over_rate - under_rate) / error, count) if error else 0.0
    if over_rate < 2.0 * under_rate or z < CLEAR:
        return None
    return float(wrong.sum() / best.sum()), int(wrong.sum())


def _overpaid(share: float, count: int, high: float, low: float, limit: float, told: str) -> Finding:
    return Finding(
        message=f"{share:.0%} of the rows with a reward over {high:g} ({count:,} rows) have a human score below "
        f"{low:g}{told}.",
        confidence=HIGH if not told else MEDIUM,
        evidence=(Evidence(metric="best-paid and rejected", value=share, limit=limit),),
    )


def _unlike(rows: Samples, paid: Array, human: Array, least: float, rng: np.random.Generator) -> Answer:
    """Whether reward and human score rank rows alike, over random pairs of rows that differ in both."""
    other = rng.integers(0, len(paid), (PARTNERS, len(paid)))
    signs = np.sign(paid - paid[other]) * np.sign(human - human[other])
    differ = np.abs(signs).sum(axis=0)
    total = float(differ.sum())
    spread = float(np.quantile(human, 0.9) - np.quantile(human, 0.1))
    if total < FEWEST * PARTNERS / 2 or spread < 0.2:
        return None
    gamma = float(signs.sum() / total)
    _, owner = np.unique(hash_draws(rows), return_inverse=True)
    pull = np.bincount(owner, signs.sum(axis=0) - gamma * differ)
    error = 2.0 * float(np.sqrt((pull**2).sum())) / total
    if gamma + LIKELY * error >= least:
        return None
    return Finding(
        message=f"The rankings by reward and by human score hardly agree: {gamma:.2f} over {len(paid):,} rows "
        f"(1 is perfect, 0 is chance, limit {least:g}).",
        confidence=HIGH if gamma < 0 else MEDIUM,
        evidence=(Evidence(metric="agreement of reward and human_score", value=gamma, limit=least),),
    )
