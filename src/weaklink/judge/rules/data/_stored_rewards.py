"""Stored rewards and done flags compared with those that the environment returned."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from weaklink.base.evidence.rollout import Array, Pairing, Rollout
from weaklink.judge.rules.data._pairs import (
    ALMOST_ALL,
    ONE_INDEX,
    find_ends,
    is_same_scale,
    match_rows,
    measure_share,
    mix_axes,
    read_flags,
    read_grid,
)
from weaklink.judge.rules.writing import HIGH, MEDIUM, Evidence, Finding, Level, Link

# fewer changed rewards than one in a hundred are not worth a finding
LEAST_SHARE = 0.01

# rows needed to tell the mean of what was added from its noise
FEWEST_NOISY = 32

# standard errors: a mean closer to 0 than this is none
CHANCE = 3.0


def judge_rewards(pairing: Pairing) -> Finding | None:
    """Whether the stored rewards are those that the environment returned, in the same order."""
    stored, given = read_grid(pairing.rewards), read_grid(pairing.given_rewards)
    if stored is None or given is None or stored.shape != given.shape:
        return None
    bonus = read_grid(pairing.reward_bonus)
    bonus = np.zeros_like(given) if bonus is None or bonus.shape != given.shape else bonus
    free = bonus == 0.0  # rows with a known bonus are left out of the comparison
    ended = find_ends(pairing)
    if pairing.reward_bonus is None and ended is not None and ended.shape == free.shape:
        free = free & ~ended
    plain, full = match_rows(stored, given), match_rows(stored, given + bonus)
    if bool(np.all(plain | full | ~free)):
        return None
    known = _find_reordering(stored, given, plain, free)
    if known is not None:
        return known
    same_scale = is_same_scale(np.where(free, stored, 0.0), np.where(free, given, 0.0))
    return None if same_scale else _judge_noise(stored[free], given[free])


def _find_reordering(stored: Array, given: Array, plain: Array, free: Array) -> Finding | None:
    """The known mistake that reproduces the stored rewards: another step's, the wrong sign, axes mixed up."""
    varied = free[1:] & free[:-1] & (given[1:] != given[:-1])
    for words, same in (
        ("the step before", match_rows(stored[1:], given[:-1])),
        ("the step after", match_rows(stored[:-1], given[1:])),
    ):
        if measure_share(same, varied) > ALMOST_ALL and measure_share(plain[1:], varied) < ALMOST_ALL:
            rows = f"in {int(same.sum()):,} of {same.size:,} rows"
            return _describe_shift(f"Stored rewards equal those of {words}, {rows}.", float(same.mean()))
    some = free & (given != 0.0)
    if measure_share(match_rows(stored, -given), some) > ALMOST_ALL:
        return Finding(
            message=f"Stored rewards have the opposite sign of those returned, in all {int(some.sum()):,} rows.",
            link=Link.REWARD,
            confidence=HIGH,
            fix=("Store the reward as `env.step` returned it.",),
            evidence=(Evidence(metric="rewards off", value=1.0, limit=0.0),),
        )
    swapped = mix_axes(given)
    if given.shape[1] > 1 and measure_share(match_rows(stored, swapped), given != swapped) > ALMOST_ALL:
        message = "Stored rewards have the time and environment axes mixed up, as by a reshape in the wrong order."
        return _describe_shift(message, 1.0)
    return None


def _judge_noise(stored: Array, given: Array) -> Finding | None:
    """Something unrelated was added: a warning where it has zero mean (noise), otherwise information (a bonus)."""
    added = stored - given
    if len(added) < FEWEST_NOISY:
        return None
    spread, centre = float(added.std()), float(added.mean())
    zero_mean = abs(centre) < CHANCE * spread / np.sqrt(len(added))
    share = float(np.mean(~match_rows(stored, given)))
    if share < LEAST_SHARE:
        return None
    size = spread / max(float(given.std()), 1e-12)
    return Finding(
        message=f"{share:.0%} of the stored rewards differ from those returned, by {centre:+.2g} on average with a "
        f"standard deviation of {spread:.2g} ({size:.2g} times that of the rewards), and nothing explains it.",
        link=Link.REWARD,
        level=Level.WARN if zero_mean else Level.INFO,
        confidence=MEDIUM,
        fix=("Store the reward that the environment returned; keep bonuses in a separate column and remove noise.",),
        evidence=(Evidence(metric="rewards off", value=share, limit=0.0),),
    )


def _describe_shift(message: str, share: float) -> Finding:
    evidence = (Evidence(metric="rewards of another step", value=share, limit=0.0),)
    return Finding(message=message, confidence=HIGH, fix=(ONE_INDEX,), evidence=evidence)


def judge_ends(rollout: Rollout, pairing: Pairing) -> Iterator[Finding]:
    """Whether episode ends are stored, and whether time limits are bootstrapped."""
    stored, terminated, ended = (
        read_flags(pairing.stored_ended),
        read_flags(pairing.given_terminated),
        find_ends(pairing),
    )
    if stored is None or terminated is None or ended is None or stored.shape != terminated.shape:
        return
    lost = _find_lost_ends(rollout, stored, terminated, ended)
    if lost is not None:
        yield lost
    off_policy = rollout.family == "off-policy"
    cut = _count_masked_limits(pairing, stored) if off_policy else _count_unbootstrapped(pairing, stored)
    if cut:
        yield Finding(
            message=f"{cut:,} time limits are stored as terminations, so the value after them is not bootstrapped.",
            link=Link.RETURNS,
            level=Level.WARN,
            confidence=MEDIUM,
            fix=("At a time limit add gamma times the value of the final observation, or do not store it as done.",),
            evidence=(Evidence(metric="time limits taken for ends", value=float(cut), limit=0.0),),
        )


def _find_lost_ends(rollout: Rollout, stored: Array, terminated: Array, ended: Array) -> Finding | None:
    lost, count = int((terminated & ~stored).sum()), int(terminated.sum())
    if not lost > count / 2:
        return None
    late = np.array_equal(stored[1:], ended[:-1])
    replayed = rollout.family == "off-policy" or rollout.estimates is None
    if replayed and late and ended.sum() >= 3:
        return _describe_shift(
            f"Stored done flags are those of the step before, at all {int(ended.sum()):,} ends.", 1.0
        )
    # estimates may keep their flags at the start of the next step, which is a convention and no loss
    if lost < 2 or (late and rollout.estimates):
        return None
    return Finding(
        message=f"{lost:,} of {count:,} terminal flags never reach the learner: the stored rows are not marked done.",
        link=Link.ENVIRONMENT,
        confidence=HIGH,
        fix=("Store `terminated` of the step with its row, and mask the bootstrap with it.",),
        evidence=(Evidence(metric="terminal flags lost", value=lost / count, limit=0.0),),
    )


def _count_unbootstrapped(pairing: Pairing, stored: Array) -> int:
    """Time limits that are masked like terminations, and whose bootstrap value is not added to the reward either."""
    rewards, given, bonus = (read_grid(each) for each in (pairing.rewards, pairing.given_rewards, pairing.reward_bonus))
    if rewards is None or given is None or bonus is None or not rewards.shape == given.shape == bonus.shape:
        return 0
    where = (np.abs(bonus) > 1e-3 * (1.0 + np.abs(given))) & stored  # a smaller bonus is lost in rounding
    missing = where & match_rows(rewards, given)
    return int(missing.sum()) if missing.any() and missing.sum() == where.sum() else 0


def _count_masked_limits(pairing: Pairing, stored: Array) -> int:
    """Time limits that a replay buffer stores as terminations, where it does so with all of them."""
    cut, terminated = read_flags(pairing.given_truncated), read_flags(pairing.given_terminated)
    if cut is None or terminated is None or not cut.shape == terminated.shape == stored.shape:
        return 0
    where = cut & ~terminated
    kept = int((where & stored).sum())
    return kept if kept >= 2 and kept == int(where.sum()) else 0
