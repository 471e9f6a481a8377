from __future__ import annotations

from typing import NamedTuple

import numpy as np

from weaklink.base.evidence.series import Array
from weaklink.base.evidence.survey import BOTH, CUT, RANDOM, TERMINATED, TRUNCATED, Play, Survey
from weaklink.judge.rules.reward._plays import (
    correlate,
    find_best,
    is_beyond_chance,
    is_sound,
    mark_last_steps,
    select_sound_baselines,
)
from weaklink.judge.rules.writing import HIGH, MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule

FEWEST_ENDS = 10  # ends of each kind
FEWEST_STEPS = 500  # steps that did not end an episode

APART = 1 / 3  # of the range of what ends pay: the middle third must be empty for there to be two kinds

NEARLY_ALL = 0.95  # of the episodes of the best policy end in the worse way

ALWAYS = 0.05  # of the steps, the worst, are left out of what waiting pays at the least

FEWEST_LEAPS, LEAP = 5, 5.0  # ends, and how many times the largest change between steps their last one must be

NEAR = 0.25  # of the starts may be nearer to the prize

FEWEST_WAYS = 5  # starts from which a map shows how far the prize is

TOGETHER = 0.5  # the correlation of the length of an episode with its return from which on time is what is paid

OFTEN = 0.2  # of the episodes that terminate are ends that pay more than any other step


class _Ends(NamedTuple):
    """The episodes that terminated: what their last steps paid, what they returned, and who played them."""

    paid: Array
    returns: Array
    policy: Array
    lengths: Array


@rule(
    "REW122",
    link=Link.REWARD,
    level=Level.WARN,
    on=Survey,
    needs=(RANDOM,),
    leads_to=("TSK101", "TSK102", "TSK105", "TSK106"),
)
def prize_not_worth(survey: Survey) -> Answer:
    """The end that pays most is not worth coming to.

    ## What it sees
    Episodes terminate in two ways, one of which pays more, as landing and crashing do. Yet the best policy that was
    found ends nearly all of its episodes in the other way, and returns more on average than the best single episode
    that ended well. Or an end pays far more than any other step, or than the step before it where every end does, and
    every step pays something: waiting to the time limit (or over the horizon of the discount) pays more than that end,
    even where each step earns what the worst do. Or nearly every end pays far more than any other step, the later it
    comes the more the episode returns, the best policy mostly does not come to it, and random play that never does
    returns more than the sooner half of those that did. Or every step costs something, an end pays more, and a map of
    the world shows how far it is: from three quarters of the starts even the nearest way there returns less than most
    episodes that end soon without it.

    ## Why it is bad
    The return ranks failing, or never finishing, above the task. A learner finds that out: its return rises while its
    successes go to zero.

    ## What to do
    1. Add up what a good episode costs on its way and compare it with the prize and with the fine for failing.
    2. Make the fine larger than the whole cost of an episode, or the prize larger than all that waiting could pay.
    3. Pay for progress instead of for time.

    ## How to prove it
    `weaklink preflight ENV --automaton module:policy` with a policy that does the task: its return must be above that
    of every other.

    ## When it is wrong
    A task that is to go on, whose prized end is an exit and not the goal. What the last step pays may have nothing to
    do with how the episode ends.

    ## References
    Amodei et al., Concrete Problems in AI Safety, 2016, section 4; Ng, Harada and Russell, Policy Invariance under
    Reward Transformations, 1999.
    """
    plays = {name: play for name, play in select_sound_baselines(survey).items() if not play.returns_only}
    steps = np.concatenate([play.rewards[~mark_last_steps(play)] for play in plays.values()] or [np.empty(0)])
    ends = _gather_ends(plays)
    leap = _judge_leaps(survey, plays, ends, steps) if len(steps) >= FEWEST_STEPS and is_sound(steps) else None
    if leap is not None:
        return leap
    if len(ends.paid) < 2 * FEWEST_ENDS or len(steps) < FEWEST_STEPS or not is_sound(steps):
        return CannotTell((RANDOM,), f"fewer than {2 * FEWEST_ENDS} episodes terminated, or {FEWEST_STEPS} steps")
    return (
        _judge_failing(plays, ends)
        or _judge_waiting(survey, ends, steps)
        or _judge_wandering(plays, ends, steps)
        or _judge_soonest(survey, ends, steps)
    )


def _gather_ends(plays: dict[str, Play]) -> _Ends:
    parts = []
    for name, play in plays.items():
        whole = play.ends != CUT
        over = (play.ends == TERMINATED) | (play.ends == BOTH)
        last = play.rewards[(play.starts + play.lengths - 1)[over]]
        parts.append((last, play.returns[over[whole]], np.full(len(last), name), play.lengths[over]))
    columns = [np.concatenate(column) for column in zip(*parts, strict=True)] if parts else [np.empty(0)] * 4
    return _Ends(*columns)


def _judge_failing(plays: dict[str, Play], ends: _Ends) -> Finding | None:
    """The finding, if the best policy ends in the way that pays less, and does better so."""
    low, high = float(ends.paid.min()), float(ends.paid.max())
    well, badly = ends.paid > high - APART * (high - low), ends.paid < low + APART * (high - low)
    if min(well.sum(), badly.sum()) < FEWEST_ENDS or not np.all(well | badly):
        return None
    best = find_best(plays)
    own = ends.policy == best
    usual, top = float(plays[best].returns.mean()), float(ends.returns[well].max())
    if own.sum() < NEARLY_ALL * plays[best].episodes or badly[own].mean() < NEARLY_ALL or top >= usual:
        return None
    return Finding(
        message=f"The best of {int(well.sum())} episodes whose last step pays {np.median(ends.paid[well]):.3g} returns "
        f"{top:.4g}; the best policy ({best}) returns {usual:.4g} on average, and {badly[own].mean():.0%} of its "
        f"episodes end with {np.median(ends.paid[badly]):.3g}: ending in the worse way returns more.",
        confidence=MEDIUM,
        evidence=(Evidence(metric="return of ending well", value=top, limit=usual),),
    )


def _judge_waiting(survey: Survey, ends: _Ends, steps: Array) -> Finding | None:
    """The finding, if every step pays, and waiting pays more than the end that stands out."""
    usual = float(steps.max())
    prized = ends.paid > usual + max(float(np.ptp(steps)), 1e-9)
    least = float(np.quantile(steps, ALWAYS))
    if least <= 0.0 or prized.sum() < max(FEWEST_ENDS, OFTEN * len(prized)):
        return None
    horizon = _find_horizon(survey)
    prize = float(np.median(ends.paid[prized]))
    if least * horizon <= prize:
        return None
    return Finding(
        message=f"An end pays {prize:.3g}, far more than any other step ({usual:.3g} at most), but each step pays at "
        f"least {least:.3g}, {least * horizon:.3g} over {horizon:,.0f} steps: not coming to that end pays more.",
        confidence=MEDIUM,
        evidence=(Evidence(metric="reward of waiting", value=least * horizon, limit=prize),),
    )


def _judge_wandering(plays: dict[str, Play], ends: _Ends, steps: Array) -> Finding | None:
    """The finding, if episodes of random play that never come to the prize return more than those that soon do."""
    usual = float(steps.max())
    prized = ends.paid > usual + max(float(np.ptp(steps)), 1e-9)
    random, best = plays.get(RANDOM), find_best(plays)
    lost = np.empty(0) if random is None else random.returns[random.ends[random.ends != CUT] == TRUNCATED]
    if prized.sum() < FEWEST_ENDS or prized.mean() < NEARLY_ALL or len(lost) < FEWEST_ENDS:
        return None
    lengths, returns = ends.lengths[prized], ends.returns[prized]
    later = correlate(lengths.astype(float), returns)
    ended, wandered = float(returns[lengths <= np.median(lengths)].max()), float(np.median(lost))
    arrives = 2 * int(np.count_nonzero(prized & (ends.policy == best))) >= plays[best].episodes
    if arrives or wandered <= ended or later < TOGETHER or not is_beyond_chance(later, len(returns)):
        return None
    return Finding(
        message=f"An end pays {np.median(ends.paid[prized]):.3g}, far more than any other step ({usual:.3g} at most), "
        f"but {len(lost)} episodes of random play that never came to it return {wandered:.3g}, and the sooner half of "
        f"the {len(returns)} that did {ended:.3g} at most: wandering pays more.",
        confidence=MEDIUM,
        evidence=(Evidence(metric="return of wandering", value=wandered, limit=ended),),
    )


def _find_horizon(survey: Survey) -> float:
    """The steps over which waiting is paid: those of the time limit, or of the discount."""
    limit = survey.facts.get("max_episode_steps")
    return float(limit) if isinstance(limit, int | float) and limit else 1.0 / (1.0 - survey.gamma)


def _judge_leaps(survey: Survey, plays: dict[str, Play], ends: _Ends, steps: Array) -> Finding | None:
    """The finding, if every end pays far more than the step before it, every step pays, and waiting pays more."""
    leaps, changes = [np.empty(0)], [np.empty(0)]
    for play in plays.values():
        over = ((play.ends == TERMINATED) | (play.ends == BOTH)) & (play.lengths > 1)
        last = (play.starts + play.lengths - 1)[over]
        leaps.append(play.rewards[last] - play.rewards[last - 1])
        inside = (play.time[1:] > 0) & ~mark_last_steps(play)[1:]
        changes.append(np.abs(np.diff(play.rewards))[inside])
    leap, change = np.concatenate(leaps), np.concatenate(changes)
    least, horizon = float(np.quantile(steps, ALWAYS)), _find_horizon(survey)
    if len(leap) < FEWEST_LEAPS or len(leap) < len(ends.paid) or not len(change) or least <= 0.0:
        return None
    prize = float(np.median(ends.paid))
    if float(leap.min()) <= LEAP * float(change.max()) or least * horizon <= prize:
        return None
    return Finding(
        message=f"Each of {len(leap)} ends pays {prize:.3g}, {np.median(leap):.3g} more than the step before it, where "
        f"rewards change by {change.max():.3g} at most from step to step; but each step pays at least {least:.3g}, "
        f"{least * horizon:.3g} over {horizon:,.0f} steps: not coming to that end pays more.",
        confidence=MEDIUM,
        evidence=(Evidence(metric="reward of waiting", value=least * horizon, limit=prize),),
    )


def _judge_soonest(survey: Survey, ends: _Ends, steps: Array) -> Finding | None:
    """The finding, if every step costs, and even the nearest way to the prize returns less than ending soon."""
    usual = float(steps.max())
    prized = ends.paid > usual + 1e-9
    ways = [one.nearest for one in survey.reached if one.nearest is not None]
    if usual >= 0.0 or len(ways) < FEWEST_WAYS or prized.sum() < FEWEST_LEAPS or (~prized).sum() < FEWEST_ENDS:
        return None
    nearest, prize = int(np.quantile(ways, NEAR, method="higher")), float(ends.paid[prized].max())
    soon = ends.lengths[~prized] <= np.median(ends.lengths[~prized])
    ended, most = float(np.median(ends.returns[~prized][soon])), (nearest - 1) * usual + prize
    if most >= ended:
        return None
    return Finding(
        message=f"An end pays {prize:.3g} and every other step costs at least {-usual:.3g}. From most starts it is "
        f"{nearest} steps away or more, which returns {most:.3g} at most; episodes that end soon without it return "
        f"{ended:.3g}: failing at once is better.",
        confidence=HIGH,
        evidence=(Evidence(metric="return of ending well", value=most, limit=ended),),
    )
