from __future__ import annotations

from functools import partial

import numpy as np

from weaklink.base.evidence.samples import COMPONENT, Samples
from weaklink.base.evidence.series import Array
from weaklink.judge.rules._draws import FEWEST_ROWS, average_by_draw, mark_samples, select_complete
from weaklink.judge.rules._samples import LIKELY, select_latest
from weaklink.judge.rules.writing import HIGH, MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule

EQUAL = 0.95
"""The share of rows inside of the bounds whose reward is the raw one, from which on it is the same score, clipped."""

FEWEST_INSIDE = 3
"""Different rewards inside of the bounds: scores that are not clipped agree in so many by design alone."""

ROUNDED = 1e-3
"""How far the two may be apart: logs round them differently."""

CLIPPED = "reward at its bound"


@rule(
    "LLM342",
    link=Link.REWARD,
    level=Level.WARN,
    on=Samples,
    needs=("reward",),
    leads_to=("LLM308", "LLM312"),
)
def clipped_rewards(samples: Samples, *, limit: float = 0.3) -> Answer:
    """The reward is clipped so tightly that many different scores are paid alike.

    ## What it sees
    Rows give a raw score beside the reward (a component such as `raw_reward`) that is the same number inside of bounds
    (in three different ones or more, but for rounding), and at the highest or lowest reward lies beyond it. More than
    0.3 of the last rows sit at such a bound, beyond chance.

    ## Why it is bad
    Completions at the bound are all worth the same: good and very good ones cannot be told apart, groups at it have no
    advantages, and training stops where the bound begins.

    ## What to do
    1. Widen the bounds until a few per cent of the rows reach them, or drop them.
    2. Scale the score instead of clipping it: subtract its mean and divide by its spread.
    3. Watch the share of rows at the bounds.

    ## How to prove it
    Compare the raw scores of ten rows at the bound: they must not differ in what they are worth.

    ## When it is wrong
    Bounds that are meant as a target: all that is beyond them is good enough.

    ## References
    Huang et al., The 37 Implementation Details of Proximal Policy Optimization, 2022 (clipping of rewards).
    """
    rows = select_complete(samples, "reward")
    parts = [f"{COMPONENT}{part}" for part, _ in rows.columns(COMPONENT)]
    if len(rows) < 2 * FEWEST_ROWS or not parts:
        return CannotTell(("rewards.raw",), "no raw score to compare the reward with")
    for name in parts:
        for upper in (True, False):
            marked = mark_samples(rows, CLIPPED, partial(_mark_clipped, name=name, upper=upper))
            late = average_by_draw(select_latest(marked, CLIPPED), CLIPPED)
            if late is not None and late.mean - LIKELY * late.error > limit:
                return _report(rows, name, upper, late.mean, limit)
    return None


def _mark_clipped(rows: Samples, name: str, upper: bool) -> Array:
    """1 for rows whose raw score lies beyond the bound that their reward sits at; all 0 where it is another score."""
    reward, raw = rows["reward"], rows[name] if name in rows else np.full(len(rows), np.nan)
    known = np.isfinite(reward) & np.isfinite(raw)
    if not known.any():
        return np.full(len(rows), np.nan)
    bound = float(reward[known].max() if upper else reward[known].min())
    inside = known & (reward != bound)
    same = np.isclose(reward, raw, rtol=ROUNDED, atol=ROUNDED)
    if len(np.unique(reward[inside])) < FEWEST_INSIDE or float(same[inside].mean()) < EQUAL:
        return np.zeros(len(rows))
    beyond = raw > reward if upper else raw < reward
    return np.where(known, (reward == bound) & beyond & ~same, np.nan)


def _report(rows: Samples, name: str, upper: bool, share: float, limit: float) -> Finding:
    reward, raw = rows["reward"], rows[name]
    bound, furthest = (np.nanmax(reward), np.nanmax(raw)) if upper else (np.nanmin(reward), np.nanmin(raw))
    return Finding(
        message=f"The reward is clipped: {share:.0%} of the last rows sit at its {'upper' if upper else 'lower'} bound "
        f"of {bound:.3g} (limit {limit:.0%}), while {name} reaches {furthest:.3g}.",
        confidence=HIGH if share > 2 * limit else MEDIUM,
        evidence=(Evidence(metric=CLIPPED, value=share, limit=limit),),
    )
