"""Stored observations and next observations compared with what the environment returned."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from weaklink.base.evidence.recovered import RecoveredUpdate
from weaklink.base.evidence.rollout import Array, Pairing, Rollout
from weaklink.judge.rules.data._pairs import (
    ALMOST_ALL,
    ONE_INDEX,
    find_ends,
    match_rows,
    measure_share,
    mix_axes,
    read_flags,
    read_grid,
)
from weaklink.judge.rules.writing import HIGH, MEDIUM, Evidence, Finding, Level, Link

# up to one row in a hundred may differ in a sound store: the first after a reset, for example
RIGHT, REPLACED = 0.99, 0.01

# episode ends needed to call a pattern a habit; one more where it is inferred from stored rows alone
FEWEST_ENDS, FEWEST_RESETS = 3, 4

# A reset moves the observation by more than three usual steps; the step before it by at most two
JUMP, STILL = 3.0, 2.0

COPY = "Keep a copy of the observation that the action was chosen from until the step is stored."
OWN_LAST = "At a time limit store the final observation of the episode (`final_observation` of the info)."
ONE_ORDER = "Flatten every field in the same way, with time and environments in one order."
NO_RESET_ROWS = "Leave out the row after an end, or make the vector environment reset at once (same-step autoreset)."


def judge_observations(pairing: Pairing) -> Finding | None:
    """Whether row t holds what step t - 1 returned; if not, which shift explains it."""
    stored, given = read_grid(pairing.observations, 1), read_grid(pairing.given_observations, 1)
    if stored is None or given is None or stored.shape != given.shape:
        return None
    right = match_rows(stored[1:], given[:-1])
    if right.mean() > RIGHT:
        return None
    moved = ~match_rows(given[1:], given[:-1])
    expected = np.concatenate([stored[:1], given[:-1]])
    swapped = mix_axes(expected)
    after = f"Stored observations are those after the step, in {int(moved.sum()):,} rows, instead of those before it."
    before = "Stored observations are those of the step before."
    mixed = "Stored observations have the time and environment axes mixed up, as by a reshape in the wrong order."
    shifts = (
        (after, match_rows(stored[1:], given[1:]), moved, (COPY, ONE_INDEX)),
        (before, match_rows(stored[2:], given[:-2]), moved[:-1], (COPY, ONE_INDEX)),
        (mixed, match_rows(stored, swapped), ~match_rows(expected, swapped) & (stored.shape[1] > 1), (ONE_ORDER,)),
    )
    for message, same, informative, fix in shifts:
        if measure_share(same, informative) > ALMOST_ALL:
            return _describe(message, 1.0, HIGH, fix)
    return _judge_replaced(stored[1:], given[:-1], right, find_ends(pairing))


def _judge_replaced(stored: Array, given: Array, right: Array, ended: Array | None) -> Finding | None:
    """Wrong rows among mostly right ones. Clipped rows are on purpose, and other checks judge resets."""
    wrong = ~right
    if ended is not None and ended.shape[0] == len(right) + 1:
        wrong &= ~ended[:-1]
    low, high = stored.min(axis=(0, 1)), stored.max(axis=(0, 1))
    wrong &= ~match_rows(stored, np.clip(given, low, high))
    share = float(wrong.mean())
    if right.mean() < 0.5 or share < REPLACED or wrong.sum() < 2:
        return None
    message = f"{share:.0%} of the stored observations are not what the environment returned at that step."
    return _describe(message, share, MEDIUM, (ONE_INDEX,), Level.WARN)


def judge_next_observations(pairing: Pairing) -> Iterator[Finding]:
    """Whether the stored next observation is the one that followed."""
    stored, own, ended = read_grid(pairing.next_observations, 1), read_grid(pairing.observations, 1), find_ends(pairing)
    if stored is None or ended is None or ended.shape != stored.shape[:2]:
        return
    given = read_grid(pairing.given_observations, 1)
    if given is None and own is not None:
        given = np.concatenate([own[1:], stored[-1:]])
    if given is None or given.shape != stored.shape:
        return
    right = match_rows(stored, given)
    shift = _find_next_shift(stored, own, given, right, ~ended)
    if shift is not None:
        yield shift
    else:
        yield from _judge_time_limits(pairing, stored, given, right)


def _find_next_shift(stored: Array, own: Array | None, given: Array, right: Array, going_on: Array) -> Finding | None:
    if own is not None and own.shape == stored.shape:
        moved = going_on & ~match_rows(own, given)
        if measure_share(match_rows(stored, own), moved) > ALMOST_ALL:
            message = f"The stored next observation is the observation itself, in {int(moved.sum()):,} rows."
            return _describe(message, 1.0, HIGH, (COPY,))
    ahead = going_on[:-1] & ~match_rows(given[1:], given[:-1])
    if measure_share(match_rows(stored[:-1], given[1:]), ahead) > ALMOST_ALL > measure_share(right[:-1], ahead):
        return _describe("The stored next observation is one step too far ahead.", 1.0, HIGH, (ONE_INDEX,))
    return None


def _judge_time_limits(pairing: Pairing, stored: Array, given: Array, right: Array) -> Iterator[Finding]:
    finals, cut = read_grid(pairing.final_observations, 1), read_flags(pairing.given_truncated)
    masked = read_flags(pairing.stored_ended)
    if finals is None or cut is None or masked is None or finals.shape != stored.shape or masked.shape != cut.shape:
        return
    counted = cut & ~masked & ~match_rows(finals, given)
    wrong = counted & right & ~match_rows(stored, finals)
    if counted.any() and wrong.sum() == counted.sum():
        message = f"At {int(wrong.sum()):,} time limits the stored next observation is the first of the next episode."
        yield _describe(message, float(wrong.sum() / cut.sum()), HIGH, (OWN_LAST,))


def judge_resets(pairing: Pairing) -> Finding | None:
    """Whether the step that only resets (next-step autoreset) is stored as a real transition."""
    stored, given = read_grid(pairing.observations, 1), read_grid(pairing.given_observations, 1)
    finals, rewards, ended = (
        read_grid(pairing.final_observations, 1),
        read_grid(pairing.given_rewards),
        find_ends(pairing),
    )
    if stored is None or given is None or finals is None or rewards is None or ended is None:
        return None
    if not stored.shape == given.shape == finals.shape or rewards.shape != ended.shape or not np.any(rewards):
        return None
    ends = ended[:-1]
    if ends.sum() < FEWEST_ENDS or np.any(ended[1:] & ends):
        return None
    kept = match_rows(given, finals)[:-1] & match_rows(stored[1:], given[:-1])
    moved = ~match_rows(given[1:], given[:-1])
    if not np.all((kept & moved)[ends]) or np.any(rewards[1:][ends] != 0.0):
        return None
    detail = "it goes from the final observation of an episode to the first of the next, with reward 0"
    return _describe_resets(int(ends.sum()), detail)


def judge_silent_resets(rollout: Rollout) -> Finding | None:
    """The same from stored rows alone: the row after each end has reward 0, and the observation jumps one row late."""
    pairing, estimates = rollout.pairing, rollout.estimates
    if pairing is None or estimates is None:
        return None
    seen, rewards, ended = read_grid(pairing.observations, 1), read_grid(estimates.rewards), read_flags(estimates.ended)
    if seen is None or rewards is None or ended is None or not seen.shape[:2] == rewards.shape == ended.shape:
        return None
    after = np.zeros_like(ended)
    after[1:-1] = ended[:-2]
    if after.sum() < FEWEST_RESETS or np.any(rewards[after] != 0.0) or np.any(ended & after):
        return None
    # where rewards of 0 are common, one after each end says nothing
    if float(np.mean(rewards[~after] == 0.0)) > 0.05 or not _jumps_late(seen, ended, after):
        return None
    return _describe_resets(
        int(after.sum()), "its reward is 0, and the observation jumps to the next episode one row late"
    )


def judge_learned_resets(read: RecoveredUpdate | None) -> Finding | None:
    """The same from outside: steps that the environments answered with a reset are rows of a loss."""
    if read is None or read.resets < FEWEST_RESETS or 2 * read.resets < read.possible_resets:
        return None
    return _describe_resets(read.resets, "the environment ignored its action, and some loss learns from it")


def _jumps_late(seen: Array, ended: Array, after: Array) -> bool:
    """Whether observations jump in the row after an end and not at the end itself."""
    steps = np.diff(seen, axis=0) / (np.std(seen, axis=(0, 1)) + 1e-12)
    far = np.sqrt(np.mean(steps**2, axis=2))
    within = ~after[:-1] & ~ended[:-1]
    usual = float(np.median(far[within])) if np.any(within) else 0.0
    at_end, behind = float(np.median(far[ended[:-1]])), float(np.median(far[after[:-1]]))
    return behind > JUMP * max(usual, 1e-12) and not at_end > STILL * usual


def _describe_resets(count: int, detail: str) -> Finding:
    return Finding(
        message=f"After {count:,} episode ends the step that only resets is stored as a real transition: {detail}.",
        link=Link.ENVIRONMENT,
        level=Level.WARN,
        confidence=MEDIUM,
        fix=(NO_RESET_ROWS,),
        evidence=(Evidence(metric="resets stored", value=float(count), limit=0.0),),
    )


def _describe(message: str, share: float, sure: float, fix: tuple[str, ...], level: Level | None = None) -> Finding:
    evidence = (Evidence(metric="rows off", value=share, limit=0.0),)
    return Finding(message=message, confidence=sure, fix=fix, evidence=evidence, level=level)
