"""Stored observations, and those after them, beside what the environment gave."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from weaklink.base.evidence.rollout import Array, Pairing, Rollout
from weaklink.base.finding import HIGH, MEDIUM, Evidence, Finding, Level
from weaklink.base.loop import Link
from weaklink.judge.rules.data._pairs import ALMOST_ALL, endings, flags, grid, mixed, rows_equal, share_of

FEWEST_RESETS = 4
ONE_INDEX = "Write observation, action, reward and end of one step with one index."
COPY = "Keep the observation that the action was chosen from, copied, until the step is stored."
OWN_LAST = "At a time limit store the last observation of the episode (`final_observation` of the info)."


def of_observations(pairing: Pairing) -> Finding | None:
    """Whether row t holds what step t - 1 returned."""
    stored, given = grid(pairing.observations, 1), grid(pairing.given_observations, 1)
    if stored is None or given is None or stored.shape != given.shape:
        return None
    right = rows_equal(stored[1:], given[:-1])
    if right.mean() > 0.99:
        return None
    moved = ~rows_equal(given[1:], given[:-1])
    if share_of(rows_equal(stored[1:], given[1:]), moved) > ALMOST_ALL:
        told = f"Stored observations are those after the step, in {int(moved.sum()):,} rows, and not those before it."
        return _finding(told, 1.0, HIGH, (COPY, ONE_INDEX))
    if share_of(rows_equal(stored[2:], given[:-2]), moved[:-1]) > ALMOST_ALL:
        return _finding("Stored observations are those of the step before.", 1.0, HIGH, (COPY, ONE_INDEX))
    expected = np.concatenate([stored[:1], given[:-1]])
    if stored.shape[1] > 1 and share_of(rows_equal(stored, mixed(expected)), ~rows_equal(expected, mixed(expected))) > (
        ALMOST_ALL
    ):
        told = "Stored observations have time and environments mixed up, as a reshape in the wrong order does."
        return _finding(told, 1.0, HIGH, ("Flatten every field in the same way, time and environments in one order.",))
    return _replaced(stored[1:], given[:-1], right, endings(pairing))


def _replaced(stored: Array, given: Array, right: Array, ended: Array | None) -> Finding | None:
    """Rows that hold something else while most are right; a clip is on purpose, and a reset has rules of its own."""
    wrong = ~right
    if ended is not None and ended.shape[0] == len(right) + 1:
        wrong &= ~ended[:-1]
    low, high = stored.min(axis=(0, 1)), stored.max(axis=(0, 1))
    wrong &= ~rows_equal(stored, np.clip(given, low, high))
    share = float(wrong.mean())
    if right.mean() < 0.5 or share < 0.01 or wrong.sum() < 2:
        return None
    told = f"{share:.0%} of the stored observations are not what the environment gave at that step."
    return _finding(told, share, MEDIUM, (ONE_INDEX,), Level.WARN)


def of_next_observations(pairing: Pairing) -> Iterator[Finding]:
    """Whether the stored next observation is the one that followed."""
    stored, own = grid(pairing.next_observations, 1), grid(pairing.observations, 1)
    given, ended = grid(pairing.given_observations, 1), endings(pairing)
    if stored is None or ended is None or ended.shape != stored.shape[:2]:
        return
    if given is None and own is not None:
        given = np.concatenate([own[1:], stored[-1:]])
    if given is None or given.shape != stored.shape:
        return
    going_on, right = ~ended, rows_equal(stored, given)
    if own is not None and own.shape == stored.shape:
        moved = going_on & ~rows_equal(own, given)
        if share_of(rows_equal(stored, own), moved) > ALMOST_ALL:
            told = f"The stored next observation is the observation itself, in {int(moved.sum()):,} rows."
            yield _finding(told, 1.0, HIGH, (COPY,))
            return
    ahead = going_on[:-1] & ~rows_equal(given[1:], given[:-1])
    if share_of(rows_equal(stored[:-1], given[1:]), ahead) > ALMOST_ALL > share_of(right[:-1], ahead):
        yield _finding("The stored next observation lies one step too far ahead.", 1.0, HIGH, (ONE_INDEX,))
        return
    yield from _after_time_limits(pairing, stored, given, right)


def _after_time_limits(pairing: Pairing, stored: Array, given: Array, right: Array) -> Iterator[Finding]:
    finals, cut = grid(pairing.final_observations, 1), flags(pairing.given_truncated)
    masked = flags(pairing.stored_ended)
    if finals is None or cut is None or masked is None or finals.shape != stored.shape or masked.shape != cut.shape:
        return
    counted = cut & ~masked & ~rows_equal(finals, given)
    wrong = counted & right & ~rows_equal(stored, finals)
    if counted.any() and wrong.sum() == counted.sum():
        told = f"At {int(wrong.sum()):,} time limits the stored next observation is the first of the next episode."
        yield _finding(told, float(wrong.sum() / cut.sum()), HIGH, (OWN_LAST,))


def of_resets(pairing: Pairing) -> Finding | None:
    """Whether the step that does nothing but reset is stored like a real one (autoreset at the next step)."""
    stored, given = grid(pairing.observations, 1), grid(pairing.given_observations, 1)
    finals, rewards, ended = grid(pairing.final_observations, 1), grid(pairing.given_rewards), endings(pairing)
    if stored is None or given is None or finals is None or rewards is None or ended is None:
        return None
    if not stored.shape == given.shape == finals.shape or rewards.shape != ended.shape or not np.any(rewards):
        return None
    ends = ended[:-1]
    if ends.sum() < 3 or np.any(ended[1:] & ends):
        return None
    kept = rows_equal(given, finals)[:-1] & rows_equal(stored[1:], given[:-1])
    moved = ~rows_equal(given[1:], given[:-1])
    if not np.all((kept & moved)[ends]) or np.any(rewards[1:][ends] != 0.0):
        return None
    return Finding(
        message=f"After {int(ends.sum()):,} ends the step that only resets is stored as a real one: from the last "
        "observation of an episode to the first of the next, with reward 0.",
        link=Link.ENVIRONMENT,
        level=Level.WARN,
        confidence=MEDIUM,
        fix=("Leave out the row after an end, or make the vector environment reset at once (same-step autoreset).",),
        evidence=(Evidence(metric="resets stored", value=float(ends.sum()), limit=0.0),),
    )


def of_silent_resets(rollout: Rollout) -> Finding | None:
    """The same where what the environment gave is not known: the row after each end earns nothing, and the jump to the
    next episode comes one row late."""
    pairing, estimates = rollout.pairing, rollout.estimates
    seen = grid(pairing.observations, 1) if pairing is not None else None
    rewards = grid(estimates.rewards) if estimates is not None else None
    ended = flags(estimates.ended) if estimates is not None else None
    if seen is None or rewards is None or ended is None or not seen.shape[:2] == rewards.shape == ended.shape:
        return None
    after = np.zeros_like(ended)
    after[1:-1] = ended[:-2]
    if after.sum() < FEWEST_RESETS or np.any(rewards[after] != 0.0) or np.any(ended & after):
        return None
    if float(np.mean(rewards[~after] == 0.0)) > 0.05:
        return None
    steps = np.diff(seen, axis=0) / (np.std(seen, axis=(0, 1)) + 1e-12)
    far = np.sqrt(np.mean(steps**2, axis=2))
    usual = float(np.median(far[~after[:-1] & ~ended[:-1]])) if np.any(~after[:-1] & ~ended[:-1]) else 0.0
    before, behind = float(np.median(far[ended[:-1]])), float(np.median(far[after[:-1]]))
    if not behind > 3.0 * max(usual, 1e-12) or before > 2.0 * usual:
        return None
    return Finding(
        message=f"After {int(after.sum()):,} ends the step that only resets is stored as a real one: it pays 0, and "
        "the observation jumps to the next episode one row late.",
        link=Link.ENVIRONMENT,
        level=Level.WARN,
        confidence=MEDIUM,
        fix=("Leave out the row after an end, or make the vector environment reset at once (same-step autoreset).",),
        evidence=(Evidence(metric="resets stored", value=float(after.sum()), limit=0.0),),
    )


def _finding(message: str, share: float, sure: float, fix: tuple[str, ...], level: Level | None = None) -> Finding:
    evidence = (Evidence(metric="rows off", value=share, limit=0.0),)
    return Finding(message=message, confidence=sure, fix=fix, evidence=evidence, level=level)
