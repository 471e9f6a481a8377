from __future__ import annotations

from typing import NamedTuple

import numpy as np

from weaklink.base.evidence.survey import RANDOM, Play, Survey
from weaklink.base.stats import level, quantile
from weaklink.judge.rules.reward._plays import find_best, mark_last_steps, select_sound_baselines, select_sound_plays
from weaklink.judge.rules.writing import HIGH, MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule


class _Tail(NamedTuple):
    """The steps in mid-episode with rewards far above the usual one, and their share of the mean square."""

    steps: int
    of: int
    usual: float
    largest: float
    carried: float
    varied: bool


@rule(
    "REW108",
    link=Link.REWARD,
    level=Level.WARN,
    on=Survey,
    needs=(RANDOM,),
    leads_to=("REW103", "RET301", "VAL304", "OPT301", "REW303"),
    checks={"reward histogram": "fails"},
    marks=("left to trainers",),
)
def long_tail(
    survey: Survey,
    *,
    times: float = 50.0,
    rare: float = 0.01,
    carried: float = 0.9,
    wide: float = 1000.0,
    fewest: int = 3,
) -> Answer:
    """A few steps in the middle of episodes outweigh all the others.

    ## What it sees
    Rewards over 50 times the usual size, on at most 1 % of the steps and not at the end of an episode, make up 90 % of
    the mean square of the reward in random play (info). It is a warning where the same holds for the best policy found,
    and such steps are as frequent for it as for random play or of many sizes.

    ## Why it is bad
    The gradient of a batch depends on whether it contains such a step. The critic chases spikes that it cannot predict,
    and normalised advantages make everything else look like zero.

    ## What to do
    1. Look at the state at the step named: a division by a small distance, a collision, a glitch of the simulation?
    2. Bound the formula, not the reward: `1 / (distance + 0.1)` or `exp(-distance)` in place of `1 / distance`.
    3. If it is a bonus for an event, reduce it to ten to fifty times the usual reward, or end the episode with it.

    ## How to prove it
    `weaklink preflight ENV` with the formula bounded: the largest reward must be within 50 times the usual one, and the
    order of the baselines must not change.

    ## When it is wrong
    Rewards at the end of an episode (a goal, a crash) are left out, because they define the task. A rare bonus of fixed
    size that better policies earn more often, or a penalty that they avoid, is what should be learned.

    ## References
    van Hasselt et al., Learning Values across Many Orders of Magnitude, 2016. Practice.
    """
    play = select_sound_plays(survey).get(RANDOM)
    if play is None or len(play.rewards) < 300:
        return CannotTell((RANDOM,), "fewer than 300 steps with a finite reward")
    tail = _find_tail(play, times, rare, carried, fewest)
    if tail is None:
        return None
    others = {name: one for name, one in select_sound_baselines(survey).items() if name != RANDOM}
    best = find_best(others) if others else ""
    again = _find_tail(others[best], times, rare, carried, fewest) if best else None
    bad = bool(best) and (_is_same_problem(tail, again) or (tail.varied and _spans_magnitudes(others[best], wide)))
    step = int(np.argmax(np.where(mark_last_steps(play), 0.0, np.abs(play.rewards))))
    also = f", and the same holds for {best} play, the best policy found" if bad else ""
    return Finding(
        message=f"{tail.steps} of {len(play.rewards):,} steps, with rewards of up to {tail.largest:,.4g} where "
        f"{tail.usual:.3g} is usual, make up {tail.carried:.1%} of the mean square of the reward in random play{also}.",
        level=Level.WARN if bad else Level.INFO,
        confidence=HIGH if bad and tail.steps >= 10 else MEDIUM,
        evidence=(
            Evidence(metric="reward.largest", value=tail.largest, limit=times * tail.usual, step=float(step)),
            Evidence(metric="reward.tail_share", value=tail.carried, limit=carried),
        ),
    )


def _find_tail(play: Play, times: float, rare: float, carried: float, fewest: int) -> _Tail | None:
    sizes = np.abs(play.rewards)
    usual = level(sizes[sizes > 0]) if np.any(sizes > 0) else 0.0
    inner = np.where(mark_last_steps(play), 0.0, sizes)
    most = max(int(rare * len(sizes)), fewest)
    largest = np.sort(inner)[-most:]
    far = largest[largest > times * usual]
    whole = float(np.sum(sizes**2))
    if usual <= 0.0 or len(far) < fewest or whole <= 0.0:
        return None
    part = float(np.sum(far**2)) / whole
    if part < carried:
        return None
    return _Tail(len(far), len(sizes), usual, float(far[-1]), part, float(far[-1]) > 10.0 * float(far[0]))


def _spans_magnitudes(play: Play, wide: float) -> bool:
    """Whether ordinary rewards of a play, not only a few, span orders of magnitude."""
    sizes = np.abs(play.rewards[~mark_last_steps(play) & (play.rewards != 0.0)])
    return len(sizes) >= 100 and quantile(sizes, 0.99) > wide * level(sizes)


def _is_same_problem(tail: _Tail, again: _Tail | None) -> bool:
    """Whether the best policy has this tail too: of many sizes, or as frequent within three standard errors."""
    if again is None:
        return False
    often, rarely = tail.steps / tail.of, again.steps / again.of
    as_often = abs(often - rarely) <= 3.0 * np.sqrt(often / tail.of + rarely / again.of)
    return bool(tail.varied or again.varied or as_often)
