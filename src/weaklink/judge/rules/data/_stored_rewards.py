"""Stored rewards and ends beside those that the environment gave."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from weaklink.base.evidence.rollout import Array, Pairing, Rollout
from weaklink.base.finding import HIGH, MEDIUM, Evidence, Finding, Level
from weaklink.base.loop import Link
from weaklink.judge.rules.data._pairs import (
    ALMOST_ALL,
    endings,
    flags,
    grid,
    is_same_scale,
    mixed,
    rows_equal,
    share_of,
)

LEAST_SHARE = 0.01
ONE_INDEX = "Write observation, action, reward and end of one step with one index."


def of_rewards(pairing: Pairing) -> Finding | None:
    """Whether the rewards stored are those given, in the same order."""
    stored, given = grid(pairing.rewards), grid(pairing.given_rewards)
    if stored is None or given is None or stored.shape != given.shape:
        return None
    bonus = grid(pairing.reward_bonus)
    bonus = np.zeros_like(given) if bonus is None or bonus.shape != given.shape else bonus
    free = bonus == 0.0  # where something may be added, nothing else is compared
    ended = endings(pairing)
    if pairing.reward_bonus is None and ended is not None and ended.shape == free.shape:
        free = free & ~ended
    plain, full = rows_equal(stored, given), rows_equal(stored, given + bonus)
    if bool(np.all(plain | full | ~free)):
        return None
    varied = free[1:] & free[:-1] & (given[1:] != given[:-1])
    for words, same, where in (
        ("the step before", rows_equal(stored[1:], given[:-1]), varied),
        ("the step after", rows_equal(stored[:-1], given[1:]), varied),
    ):
        if share_of(same, where) > ALMOST_ALL and share_of(plain[1:], where) < ALMOST_ALL:
            rows = f"in {int(same.sum()):,} of {same.size:,} rows"
            return _shifted(f"Stored rewards equal those of {words}, {rows}.", float(same.mean()))
    some = free & (given != 0.0)
    if share_of(rows_equal(stored, -given), some) > ALMOST_ALL:
        return _reward(f"Stored rewards are the given ones with the sign turned, in all {int(some.sum()):,} rows.", 1.0)
    if given.shape[1] > 1 and share_of(rows_equal(stored, mixed(given)), given != mixed(given)) > ALMOST_ALL:
        return _shifted("Stored rewards have time and environments mixed up, as by a reshape in the wrong order.", 1.0)
    return _noise(stored[free], given[free], is_same_scale(np.where(free, stored, 0.0), np.where(free, given, 0.0)))


def _noise(stored: Array, given: Array, on_purpose: bool) -> Finding | None:
    """Something unrelated on top: told as noise where it has no mean, otherwise as worth knowing."""
    added = stored - given
    if on_purpose or len(added) < 32:
        return None
    spread, centre = float(added.std()), float(added.mean())
    mean_free = abs(centre) < 3.0 * spread / np.sqrt(len(added))
    share = float(np.mean(~rows_equal(stored, given)))
    if share < LEAST_SHARE:
        return None
    size = spread / max(float(given.std()), 1e-12)
    told = f"{share:.0%} of the stored rewards differ from the given ones by {centre:+.2g} on average"
    return Finding(
        message=f"{told}, with a spread of {spread:.2g} ({size:.2g} of theirs) that follows nothing given.",
        link=Link.REWARD,
        level=Level.WARN if mean_free else Level.INFO,
        confidence=MEDIUM,
        fix=("Store what the environment gave; add bonuses under a name of their own, and remove noise.",),
        evidence=(Evidence(metric="rewards off", value=share, limit=0.0),),
    )


def _reward(message: str, share: float) -> Finding:
    return Finding(
        message=message,
        link=Link.REWARD,
        confidence=HIGH,
        fix=("Store the reward as `env.step` returned it.",),
        evidence=(Evidence(metric="rewards off", value=share, limit=0.0),),
    )


def _shifted(message: str, share: float) -> Finding:
    evidence = (Evidence(metric="rewards of another step", value=share, limit=0.0),)
    return Finding(message=message, confidence=HIGH, fix=(ONE_INDEX,), evidence=evidence)


def of_ends(rollout: Rollout, pairing: Pairing) -> Iterator[Finding]:
    """Whether the ends of episodes reach the store, and what is done at time limits."""
    stored, terminated, ended = flags(pairing.stored_ended), flags(pairing.given_terminated), endings(pairing)
    if stored is None or terminated is None or ended is None or stored.shape != terminated.shape:
        return
    lost, all_of_them = int((terminated & ~stored).sum()), int(terminated.sum())
    replayed = rollout.family == "off-policy" or rollout.estimates is None
    if replayed and ended.sum() >= 3 and np.array_equal(stored[1:], ended[:-1]) and lost > all_of_them / 2:
        yield _shifted(f"Stored ends are those of the step before, at all {int(ended.sum()):,} ends.", 1.0)
    elif lost >= 2 and lost > all_of_them / 2 and not (rollout.estimates and np.array_equal(stored[1:], ended[:-1])):
        yield Finding(
            message=f"{lost:,} of {all_of_them:,} terminal flags never reach the learner: no end is stored there.",
            link=Link.ENVIRONMENT,
            confidence=HIGH,
            fix=("Store `terminated` of the step with its row, and mask the bootstrap with it.",),
            evidence=(Evidence(metric="terminal flags lost", value=lost / all_of_them, limit=0.0),),
        )
    cut = _uncontinued(pairing, stored) if rollout.family != "off-policy" else _masked_limits(pairing, stored)
    if cut:
        yield Finding(
            message=f"{cut:,} time limits are stored as ends, and what would have followed is not counted.",
            link=Link.RETURNS,
            level=Level.WARN,
            confidence=MEDIUM,
            fix=("Add gamma times the value of the last observation at a time limit, or do not store it as an end.",),
            evidence=(Evidence(metric="time limits taken for ends", value=float(cut), limit=0.0),),
        )


def _uncontinued(pairing: Pairing, stored: Array) -> int:
    """Time limits that are masked like terminals although the trainer is one that adds what would have followed."""
    rewards, given, bonus = (grid(each) for each in (pairing.rewards, pairing.given_rewards, pairing.reward_bonus))
    if rewards is None or given is None or bonus is None or not rewards.shape == given.shape == bonus.shape:
        return 0
    where = (np.abs(bonus) > 1e-3 * (1.0 + np.abs(given))) & stored
    missing = where & rows_equal(rewards, given)
    return int(missing.sum()) if missing.any() and missing.sum() == where.sum() else 0


def _masked_limits(pairing: Pairing, stored: Array) -> int:
    """Time limits that a store of transitions keeps like terminals, where it does so with all of them."""
    cut, terminated = flags(pairing.given_truncated), flags(pairing.given_terminated)
    if cut is None or terminated is None or not cut.shape == terminated.shape == stored.shape:
        return 0
    where = cut & ~terminated
    kept = int((where & stored).sum())
    return kept if kept >= 2 and kept == int(where.sum()) else 0
