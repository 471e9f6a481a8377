"""Time limits: reported as termination, ends reported as a time limit, and final observations of the next episode."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from weaklink.base.evidence.survey import BOTH, CUT, RANDOM, TERMINATED, TRUNCATED, Play, Survey
from weaklink.base.finding import HIGH, MEDIUM, Evidence, Finding, Level
from weaklink.judge.rules.environment._clock import tells_time

SPIKE = 3  # how many times as many episodes end at the limit as in the tenth before it

# episodes that end at the limit where only one policy gets that far: twice what several policies need
FEWEST_OF_ONE = 10

FEWEST_OUTLASTING = 2  # courses of action that outlast all others, from as many starts

# the share of ends at the limit that may be truncated: what ends other episodes may happen to end some there
BY_CHANCE = 0.1

# different steps at which episodes are truncated, which no time limit does
MANY_STEPS = 10

# truncated episodes and ordinary steps without which no step can be called the largest
FEWEST_CUT, ENOUGH_STEPS = 5, 200

# times the largest change of any other step, and of the step before: steady growth is largest at the end too
JUMP, SUDDEN = 1.05, 2.0


def find_time_limit_reported_as_termination(survey: Survey, shortest: int, fewest: int) -> Finding | None:
    """The finding, if episodes terminate at one common length that no episode ever exceeds.

    The length is the declared limit, or the longest that was seen. Several policies must end there or, where only one
    gets that far, the length must be a round number, as limits are.
    """
    plays = [play for play in survey.plays.values() if len(play.lengths)]
    longest = max((int(play.lengths.max()) for play in plays), default=0)
    declared = survey.facts.get("max_episode_steps")
    is_declared = isinstance(declared, int | float) and int(declared) == longest
    there = [int(np.count_nonzero(_is_terminated_at(play, longest))) for play in plays]
    count, policies = sum(there), sum(number > 0 for number in there)
    if longest < shortest or survey.shown_whatever_done >= shortest:  # what is done has no future that could be cut off
        return None
    if sum(_count_truncated_at(play, longest) for play in plays) > BY_CHANCE * count:
        return None
    if count < fewest or not _pile_up(plays, longest, count):
        return None
    if not (is_declared or policies > 1 or _looks_like_limit(longest, count)) or _may_observe_time(survey, is_declared):
        return None
    return _describe_limit(longest, count, policies, is_declared, _count_swapped(plays, longest))


def find_swapped_flags(survey: Survey) -> Finding | None:
    """The finding, if episodes are truncated at several steps, and those that outlast all of them terminate at one.

    A failure comes at any step, a time limit at one: from different starts, by different courses of action.
    """
    plays = [play for play in survey.plays.values() if len(play.lengths)]
    lengths = {length for length, _ in survey.outlasted}
    longest = max((int(play.lengths.max()) for play in plays), default=0)
    if not plays or len(lengths) != 1 or longest > max(lengths) or survey.shown_whatever_done:
        return None
    length = lengths.pop()
    lasted = len(survey.outlasted) + sum(int(np.count_nonzero(_is_terminated_at(play, length))) for play in plays)
    early = np.concatenate([play.ends[(play.lengths < length) & (play.ends != CUT)] for play in plays])
    swapped = int(np.count_nonzero(early == TRUNCATED))
    if lasted < FEWEST_OUTLASTING or not swapped or swapped < len(early):
        return None
    return Finding(
        message=f"{swapped:,} episodes end with truncated, at several different steps, and none of these with "
        f"terminated; {lasted} that last longer, some made to, end with terminated at exactly {length:,} steps: "
        "the two flags are swapped.",
        level=Level.ERROR,
        confidence=HIGH,
        evidence=(Evidence(metric="terminated_at_limit", value=float(lasted), limit=0.0),),
    )


def _describe_limit(length: int, count: int, policies: int, is_declared: bool, swapped: int) -> Finding:
    what = "the declared limit" if is_declared else "the longest of all"
    whose = "one policy" if policies == 1 else f"{policies} policies"
    return Finding(
        message=f"{count} episodes of {whose} end with terminated at exactly {length:,} steps, {what}, in different "
        f"states, {_describe_truncated(swapped)}.",
        level=Level.ERROR if is_declared or swapped else Level.WARN,  # a task may truly be over after so many steps
        confidence=HIGH if is_declared else MEDIUM,
        evidence=(Evidence(metric="terminated_at_limit", value=float(count), limit=0.0, step=float(length)),),
    )


def _describe_truncated(swapped: int) -> str:
    if not swapped:
        return "and none there with truncated alone: a time limit is reported as termination"
    return f"and all {swapped:,} earlier ends, at many different steps, with truncated: the two flags are swapped"


def _count_swapped(plays: list[Play], length: int) -> int:
    """How many episodes end before the limit, if all of them do so with truncated, at many different steps; else 0."""
    early = np.concatenate([play.ends[(play.lengths < length) & (play.ends != CUT)] for play in plays])
    steps = np.concatenate([play.lengths[(play.lengths < length) & (play.ends != CUT)] for play in plays])
    return len(early) if len(np.unique(steps)) >= MANY_STEPS and bool(np.all(early == TRUNCATED)) else 0


def _pile_up(plays: list[Play], length: int, count: int) -> bool:
    """Whether far more episodes end at this length than just before it, in different states."""
    close = sum(int(np.count_nonzero((play.lengths >= 0.9 * length) & (play.lengths < length))) for play in plays)
    return count >= SPIKE * close and _ends_differ(plays, length)


def _looks_like_limit(length: int, count: int) -> bool:
    """Whether a length that one policy alone reaches is a limit: often met, and round, counted from 0 or from 1."""
    return count >= FEWEST_OF_ONE and (_is_round(length) or _is_round(length - 1))


def _may_observe_time(survey: Survey, is_declared: bool) -> bool:
    """Whether the agent may see the limit coming; where that is unknown, only a declared limit is certain."""
    told = tells_time(survey)
    return not is_declared if told is None else told


BUSY = 0.1  # a column must change in more than this share of steps: one that rarely changes has no usual step to exceed


# the share of early truncations that must pay what no other step does: a time limit pays nothing of its own
PAID_APART = 0.9

# how far beyond all other rewards the last one lies, as a share of their range
MARGIN = 0.1


def find_end_reported_as_truncation(survey: Survey) -> Finding | None:
    """The finding, if episodes are truncated at many different steps, each with a reward that no other step pays.

    A time limit comes at one step and pays nothing of its own: what is paid for the end belongs to the task.
    """
    plays = [play for play in survey.plays.values() if len(play.lengths) and not play.returns_only]
    longest = max((int(play.lengths.max()) for play in plays), default=0)
    last = [_mark_early_truncations(play, longest) for play in plays]
    paid = np.concatenate([play.rewards[ends] for play, ends in zip(plays, last, strict=True)] or [np.empty(0)])
    steps = np.array([step for play, ends in zip(plays, last, strict=True) for step in play.time[ends].tolist()])
    others = np.concatenate([play.rewards[_mark_inner(play)] for play in plays] or [np.empty(0)])
    if len(np.unique(steps)) < MANY_STEPS or len(others) < ENOUGH_STEPS or not np.isfinite(others).all():
        return None
    low, high = float(others.min()), float(others.max())
    margin = MARGIN * ((high - low) or abs(high) or 1.0)
    apart = (paid < low - margin) | (paid > high + margin)
    if apart.mean() < PAID_APART:
        return None
    return Finding(
        message=f"{len(paid):,} episodes are truncated at {len(np.unique(steps)):,} different steps, and "
        f"{np.count_nonzero(apart):,} of them with a reward ({np.median(paid):.3g}) that no other step pays "
        f"({low:.3g} to {high:.3g}): the task itself ends there, and is reported as a time limit.",
        level=Level.WARN,
        confidence=MEDIUM,
        evidence=(Evidence(metric="truncated_with_own_reward", value=float(apart.mean()), limit=PAID_APART),),
    )


def _mark_early_truncations(play: Play, longest: int) -> NDArray[np.int64]:
    """The last steps of episodes that were truncated before the longest one's length."""
    early = (play.ends == TRUNCATED) & (play.lengths < longest) & (play.lengths > 0)
    return np.asarray((play.starts + play.lengths - 1)[early])


def _mark_inner(play: Play) -> NDArray[np.bool_]:
    """The steps that end no episode."""
    inner = np.ones(len(play.rewards), dtype=bool)
    inner[(play.starts + play.lengths - 1)[play.lengths > 0]] = False
    return inner


def find_jump_at_time_limit(survey: Survey) -> Finding | None:
    """The finding, if the last step of truncated episodes changes the observation more than any other step does.

    A time limit changes no state, so such an observation belongs to another episode.
    """
    play = survey.plays.get(RANDOM)
    kinds = np.array([kind == "number" for kind in survey.column_kinds], dtype=bool)
    if play is None or play.observations is None or play.successors is None or len(kinds) != play.successors.shape[1]:
        return None
    with np.errstate(all="ignore"):
        moved = np.abs(play.successors - play.observations)[:, kinds]
    last = play.starts + play.lengths - 1
    ordinary = np.ones(len(moved), dtype=bool)
    ordinary[last[last < len(moved)]] = False
    cut = last[(play.ends == TRUNCATED) & (play.lengths > 1) & (last < len(moved))]
    if len(cut) < FEWEST_CUT or np.count_nonzero(ordinary) < ENOUGH_STEPS or not moved.shape[1]:
        return None
    most = moved[ordinary].max(axis=0)
    busy = (moved[ordinary] > 0).mean(axis=0) > BUSY
    sudden = moved[cut] > SUDDEN * moved[cut - 1]
    further = np.any((moved[cut] > JUMP * most) & busy & sudden, axis=1)
    if further.mean() <= 0.5:
        return None
    return Finding(
        message=f"At the time limit the observation jumps further than in any of {np.count_nonzero(ordinary):,} other "
        f"steps, in {np.count_nonzero(further)} of {len(cut)} episodes: it is the first one of the next episode.",
        confidence=MEDIUM,
        evidence=(Evidence(metric="jumps_at_limit", value=float(further.mean()), limit=0.5),),
    )


def _is_terminated_at(play: Play, length: int) -> NDArray[np.bool_]:
    return np.asarray(((play.ends == TERMINATED) | (play.ends == BOTH)) & (play.lengths == length))


def _count_truncated_at(play: Play, length: int) -> int:
    return int(np.count_nonzero((play.ends == TRUNCATED) & (play.lengths == length)))


def _ends_differ(plays: list[Play], length: int) -> bool:
    """Whether the final observations at the limit differ between episodes."""
    places: set[bytes] = set()
    for play in plays:
        if play.successors is None or not play.successors.shape[1]:
            continue
        last = (play.starts + play.lengths - 1)[_is_terminated_at(play, length)]
        places.update(row.tobytes() for row in play.successors[last[last < len(play.successors)]])
    return len(places) > 1


def _is_round(length: int) -> bool:
    return length % 25 == 0 or (length & (length - 1)) == 0
