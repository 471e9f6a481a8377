from __future__ import annotations

import numpy as np

from weaklink.base.evidence.samples import Samples
from weaklink.base.evidence.series import Array
from weaklink.judge.rules._assigned import correlate
from weaklink.judge.rules._draws import FEWEST_ROWS, find_steps, hash_draws, select_complete
from weaklink.judge.rules._samples import select_latest
from weaklink.judge.rules.writing import HIGH, Answer, CannotTell, Evidence, Finding, Level, Link, rule

SMALLEST, FEWEST_GROUPS = 3, 10
"""Completions of a group, and groups in which rewards differ."""
SAME, BETWEEN = 0.999, 0.1
"""The correlation with the rewards from which on one number was taken off for all, and the share of the variance
between groups that is no rounding."""
FOLLOWS = 0.99
"""The correlation of advantages with rewards over all prompts from which on they are the rewards, on another scale."""

FURTHEST, OTHERS, EXACT = 64, 0.8, 0.01
"""Groups off, as many as a batch, among which a foreign baseline is looked for; the share of the groups that differ
from the one so far off whose baseline must be its mean; and how near that must be, in deviations of the rewards, for
advantages are written with some digits."""


@rule(
    "LLM353",
    link=Link.RETURNS,
    level=Level.WARN,
    on=Samples,
    needs=("advantage", "reward", "group"),
    leads_to=("LLM302", "LLM307", "LLM310", "REW301", "REW305", "EXP301"),
)
def uncentred_advantages(samples: Samples, *, positive: float = 0.95) -> Answer:
    """Advantages have no baseline of their own: all are of one sign, or centred on another group's mean.

    ## What it sees
    Completions come in groups of one prompt, and 95 % or more of the late advantages have the same sign, though rewards
    differ within groups; and over all prompts the advantages are the rewards times a number (correlation 0.99 or more).
    It is an alarm too where the method that is named (GRPO, RLOO) centres advantages in their groups, and they are the
    rewards minus one number for all, or for all of a step, so that a tenth or more of their variance lies between
    groups. And it is one where
    what was taken off is the mean of the group so many places before or after: in four of five groups, to the digit.

    ## Why it is bad
    Every completion is made more likely, the worst of its group too, only to different degrees. The difference between
    good and bad ones is a small part of a large common push, so the gradient is mostly noise.

    ## What to do
    1. Subtract the mean reward of the group (or of the others in it, as RLOO does) before dividing by anything.
    2. Check that rewards are grouped by prompt where the mean is taken, and that the mean is not of one row.
    3. With a critic, check that its values reach the advantages.

    ## How to prove it
    Sum the advantages of each group: the sum must be 0.

    ## When it is wrong
    Plain REINFORCE without a baseline, on purpose.

    ## References
    Williams, REINFORCE, 1992; Ahmadian et al., Back to Basics, 2024 (RLOO); Shao et al., DeepSeekMath, 2024.
    """
    rows = select_complete(samples, "advantage", "reward", "group")
    late = select_complete(select_latest(rows, "advantage"), "reward") if len(rows) else rows
    if len(late) < FEWEST_ROWS or _count_varied(rows) < FEWEST_GROUPS:
        return CannotTell(("advantage",), f"fewer than {FEWEST_GROUPS} groups of {SMALLEST} whose rewards differ")
    if (off := _find_group_off(rows)) is not None:
        return off
    if (whole := _find_whole_mean(rows)) is not None:
        return whole
    above, below = float((late["advantage"] > 0).mean()), float((late["advantage"] < 0).mean())
    if max(above, below) < positive or not rows["advantage"].std() * rows["reward"].std() > 0:
        return None
    strength = float(np.corrcoef(rows["advantage"], rows["reward"])[0, 1])
    if abs(strength) < FOLLOWS:
        return None
    sign = "positive" if above > below else "negative"
    return Finding(
        message=f"Advantages are not centred: {max(above, below):.0%} of them are {sign} (limit {positive:.0%}), and "
        f"over all prompts they are the rewards on another scale (correlation {strength:.2f}). No baseline, such as "
        "the mean of the group, was subtracted.",
        confidence=HIGH,
        evidence=(Evidence(metric="advantages of one sign", value=max(above, below), limit=positive),),
    )


def _count_varied(rows: Samples) -> int:
    """How many groups are large enough and have different rewards."""
    if not len(rows):
        return 0
    _, owner, sizes = np.unique(hash_draws(rows), return_inverse=True, return_counts=True)
    low, high = np.full(len(sizes), np.inf), np.full(len(sizes), -np.inf)
    np.minimum.at(low, owner, rows["reward"])
    np.maximum.at(high, owner, rows["reward"])
    return int(((sizes >= SMALLEST) & (high > low)).sum())


def _find_whole_mean(rows: Samples) -> Finding | None:
    """Advantages that are rewards minus one number for the whole file, or for a step: groups keep their own means."""
    if "group_relative" not in rows or not (rows["group_relative"] == 1.0).all():
        return None
    advantage, reward = rows["advantage"], rows["reward"]
    steps = find_steps(rows)
    by_step = reward if steps is None else _scale_by(reward, steps)
    found = [
        (abs(correlate(advantage, paid)), place)
        for paid, place in ((reward, "over the whole file"), (by_step, "in every step"))
    ]
    strength, place = max(found, key=lambda one: one[0])
    if strength < SAME:
        return None
    by_group = _share_between(advantage, hash_draws(rows))
    if by_group < BETWEEN:
        return None
    return Finding(
        message=f"Advantages are not centred in their group: {place} they are the rewards minus one number "
        f"(correlation {strength:.3f}), and {by_group:.0%} of their variance lies "
        "between groups, where the group mean should leave none. Whole groups are pushed up or down.",
        confidence=HIGH,
        evidence=(Evidence(metric="variance of advantages between groups", value=by_group, limit=BETWEEN),),
    )


def _scale_by(values: Array, keys: Array) -> Array:
    """Values in standard deviations from the mean of those with the same key."""
    _, owner, counts = np.unique(keys, return_inverse=True, return_counts=True)
    above = values - (np.bincount(owner, values) / counts)[owner]
    spread = np.sqrt(np.bincount(owner, above**2) / counts)[owner]
    return np.divide(above, spread, out=np.zeros_like(above), where=spread > 0.0)


def _find_group_off(rows: Samples) -> Finding | None:
    """Advantages that are centred on the mean of another group."""
    draws = hash_draws(rows)
    _, first, owner = np.unique(draws, return_index=True, return_inverse=True)
    owner = np.argsort(np.argsort(first))[owner]  # groups in the order of the file
    means, baseline = _find_baselines(rows, owner)
    near = EXACT * float(rows["reward"].std())
    furthest = min(FURTHEST, len(means) // SMALLEST)
    found = [(_count_fits(means, baseline, off, near), off) for off in range(-furthest, furthest + 1) if off]
    (fits, asked), place = max(found, key=lambda one: (one[0][0] / max(one[0][1], 1), one[0][1]), default=((0, 0), 0))
    if asked < FEWEST_GROUPS or fits < OTHERS * asked:
        return None
    told = f"the group {abs(place)} {'place' if abs(place) == 1 else 'places'} {'before' if place < 0 else 'after'} it"
    return Finding(
        message=f"Advantages are centred on the mean of the wrong group: in {fits:,} of {asked:,} groups what was "
        f"taken off the rewards is the mean of {told}, to the digit, and not their own. Baselines and rewards are "
        "misaligned, so whole groups are pushed up or down.",
        confidence=HIGH,
        evidence=(Evidence(metric="groups centred on another mean", value=fits / asked, limit=OTHERS),),
    )


def _find_baselines(rows: Samples, owner: np.ndarray) -> tuple[Array, Array]:
    """The mean reward of each group, and the reward whose advantage would be 0; unknown where none lies on a line."""
    reward, advantage = rows["reward"], rows["advantage"]
    counts = np.bincount(owner)
    means, levels = np.bincount(owner, reward) / counts, np.bincount(owner, advantage) / counts
    above, raised = reward - means[owner], advantage - levels[owner]
    varied = np.bincount(owner, above**2)
    with np.errstate(divide="ignore", invalid="ignore"):
        slope = np.bincount(owner, above * raised) / varied
        baseline = means - levels / slope
    missed = np.bincount(owner, (raised - np.nan_to_num(slope)[owner] * above) ** 2)
    straight = (varied > 0.0) & (missed <= EXACT**2 * np.bincount(owner, raised**2))
    return means, np.where(straight & np.isfinite(baseline), baseline, np.nan)


def _count_fits(means: Array, baseline: Array, off: int, near: float) -> tuple[int, int]:
    """How many groups have the mean of the one so far off for a baseline, of those whose own mean is another."""
    last = len(means) - max(off, 0)
    own, others = slice(max(-off, 0), last), slice(max(off, 0), len(means) + min(off, 0))
    asked = np.isfinite(baseline[own]) & (np.abs(means[own] - means[others]) > 2.0 * near)
    return int((np.abs(baseline[own] - means[others])[asked] <= near).sum()), int(asked.sum())


def _share_between(values: Array, keys: np.ndarray) -> float:
    """The share of the variance that lies between the means of groups."""
    _, owner, counts = np.unique(keys, return_inverse=True, return_counts=True)
    means = np.bincount(owner.reshape(-1), values) / counts
    return float((counts * (means - values.mean()) ** 2).sum() / max(((values - values.mean()) ** 2).sum(), 1e-12))
