from __future__ import annotations

import numpy as np

from weaklink.base.evidence.samples import Samples
from weaklink.base.evidence.series import Array
from weaklink.judge.rules._draws import hash_draws, select_complete
from weaklink.judge.rules.writing import HIGH, Answer, CannotTell, Evidence, Finding, Level, Link, rule

SMALLEST, FEWEST_GROUPS = 3, 10
"""Completions of a group, and groups in which rewards differ."""
EXACT, SPREAD = 0.02, 0.05
"""How far advantages may be from their line within a group, as a share of their spread; and how much the logarithm of
the spread of rewards must differ between groups."""
NEAR = 0.15


@rule(
    "LLM374",
    link=Link.RETURNS,
    level=Level.WARN,
    on=Samples,
    needs=("advantage", "reward", "group"),
    leads_to=("LLM302", "LLM303", "LLM307", "LLM310", "REW301", "REW305", "EXP301", "POL303", "POL305"),
)
def divided_by_variance(samples: Samples) -> Answer:
    """Advantages are divided by the variance of their group's rewards instead of the standard deviation.

    ## What it sees
    In ten groups or more the advantages are the rewards minus their mean, times a number; and from group to group this
    number goes with the spread of the rewards to the power -2 (to 0.15), where dividing by the standard deviation gives
    -1 and not dividing 0.

    ## Why it is bad
    Advantages then depend on the unit of the reward: with small rewards they are many times too large, with large ones
    next to nothing. Groups whose rewards hardly differ, which tell least, get the largest advantages.

    ## What to do
    1. Divide by the standard deviation (its square root), or by nothing, as Dr. GRPO does.
    2. Look for `var()` where `std()` is meant, and for a normalisation that is applied twice.
    3. Log the standard deviation of advantages: it is about 1 in each group that has a spread.

    ## How to prove it
    Double all rewards: advantages must stay the same, and here they halve.

    ## When it is wrong
    Weights of groups by their spread on purpose.

    ## References
    Shao et al., DeepSeekMath, 2024 (GRPO); Liu et al., Understanding R1-Zero-Like Training, 2025 (Dr. GRPO).
    """
    rows = select_complete(samples, "advantage", "reward", "group")
    spread, scale = _measure_groups(rows)
    if len(spread) < FEWEST_GROUPS or float(np.log(spread).std()) < SPREAD:
        return CannotTell(("advantage",), f"fewer than {FEWEST_GROUPS} groups whose rewards differ, each by as much")
    power, offset = np.polyfit(np.log(spread), np.log(scale), 1)
    left = np.log(scale) - power * np.log(spread) - offset
    if abs(power + 2.0) > NEAR or float(left.std()) > SPREAD:
        return None
    size = float(np.median(spread * scale))
    return Finding(
        message=f"Advantages are divided by the variance of their group and not by the standard deviation: over "
        f"{len(spread):,} groups their scale goes with the spread of the rewards to the power {power:.2f} (-1 is "
        f"usual), so that their standard deviation is {size:.3g} in a group, and not 1.",
        confidence=HIGH,
        evidence=(Evidence(metric="power of the spread", value=float(power), limit=-1.0),),
    )


def _measure_groups(rows: Samples) -> tuple[Array, Array]:
    """The spread of rewards of each group, and the number that makes advantages of them, where there is one."""
    if not len(rows):
        return np.zeros(0), np.zeros(0)
    _, owner, sizes = np.unique(hash_draws(rows), return_inverse=True, return_counts=True)
    owner = owner.reshape(-1)
    centred = [_centre(rows[name], owner, sizes) for name in ("reward", "advantage")]
    paid, given = (np.bincount(owner, column**2) for column in centred)
    both = np.bincount(owner, centred[0] * centred[1])
    fit = (sizes >= SMALLEST) & (paid > 1e-18) & (given > 0.0) & (both > 0.0)
    fit &= both**2 >= (1.0 - EXACT**2) * np.maximum(paid * given, 1e-300)
    spread = np.sqrt(paid[fit] / (sizes[fit] - 1))
    return spread, both[fit] / paid[fit]


def _centre(values: Array, owner: np.ndarray, sizes: np.ndarray) -> Array:
    means: Array = np.bincount(owner, values) / sizes
    return np.asarray(values - means[owner])
