from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from weaklink.base.evidence.acting import ActionSweep
from weaklink.base.evidence.survey import Survey
from weaklink.judge.rules.action._effects import (
    FEWEST_STATES,
    changes_observation,
    find_equal_plays,
    is_swept,
    measure_ends,
    measure_reward_scale,
    select_continuous,
    take_median,
)
from weaklink.judge.rules.writing import HIGH, MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule

FAINT = 1e-6  # of the largest reward: a difference below this is rounding

# autocorrelation of the reward, and the pairs of steps to measure it, from which on it follows a moving state
ALIKE, FEWEST_PAIRS = 0.5, 100

PAID_ALIKE = 0.01  # standard deviations of the reward below which the ends of the range pay the same

MOST_TIMES = 1_000_000.0  # what is farther than this is not worth its digits

LEVELS = 10  # different rewards up to which it says only where the state is, and not how near to the goal

REACH = 1 / 3  # standard deviations of the observations, within a whole episode

SLIGHT = 0.1  # effects on the state below a tenth of its motion are weak whatever the reward looks like


@dataclass(frozen=True)
class _Strength:
    """How far the ends of one dimension move the state, absolutely and relative to its motion without them."""

    sweep: ActionSweep
    effect: float
    relative: float
    paid: float

    @property
    def largest(self) -> float:
        """The largest of the three."""
        return max(self.effect, self.relative, self.paid)


@rule(
    "ACT103",
    link=Link.ACTION,
    level=Level.WARN,
    on=Survey,
    needs=("action", "sweeps"),
    leads_to=("REW105", "ENV108", "TSK102", "TSK103", "TSK106", "EXP303"),
    marks=("excused by learning",),
)
def scale_too_small(survey: Survey, *, share: float = 0.03, others: float = 100.0) -> Answer:
    """Even the strongest action has hardly any effect.

    ## What it sees
    A continuous dimension is held at the ends of its range from several states. In most of them, the outcome differs
    from the outcome without it by less than 3 % of how far the state moves by itself, by less than 3 % of the standard
    deviation of the observations, and by less than 3 % of the standard deviation of rewards; in healthy environments
    the first two are 80 % and more. That holds for every dimension, or for one while another is 100 times as strong. Or
    the rewards alone differ by less than 1 %, for every dimension, and random play, no action, the best constant action
    and a search all earn the same. Or they all earn the same, and held through a whole episode the ends of no dimension
    would move the state by a third of a standard deviation of the observations.

    ## Why it is bad
    The policy has no control. The return hardly depends on its actions, so the gradient is noise.

    ## What to do
    1. Check the units: degrees for radians, newtons for millinewtons, a time step applied twice.
    2. Scale the action inside `step`, so that the ends of the range are as strong as the actuator allows.
    3. Repeat each action for several steps where the simulation is finer than the control needs to be.

    ## How to prove it
    Multiply the action by 100 inside `step`: the finding must disappear, and `weaklink preflight ENV` must show a
    search that beats random play.

    ## When it is wrong
    Slow systems, where actions add up over hundreds of steps. Effects on something that is not observed.

    ## References
    Practice; Stable-Baselines3, tips for custom environments.
    """
    numbers = select_continuous(survey)
    strengths = [_measure_strength(survey, sweep) for sweep in numbers if is_swept(sweep)]
    if not strengths:
        why = f"no dimension was tried from {FEWEST_STATES} states or more"
        return CannotTell(("sweeps",), why) if numbers else None
    weak = [each for each in strengths if each.largest < share and changes_observation(each.sweep)]
    if not weak:
        return _judge_by_reward(survey, strengths, PAID_ALIKE) or _judge_by_reach(survey, strengths)
    best = max(each.effect for each in strengths)
    every = len(weak) == len(strengths) and 2 * len(weak) >= len(survey.sweeps)
    weak = [each for each in weak if every or best > others * each.effect]
    return _describe(weak, 0.0 if every else best, share) if weak else None


def _describe(weak: list[_Strength], best: float, share: float) -> Finding:
    """The finding of weak dimensions, beside the effect of the best one where not all are weak."""
    worst = min(weak, key=lambda each: each.effect)
    times = best / max(worst.effect, best / MOST_TIMES, 1e-300)
    farther = f"{times:,.0f} times as far" if times < MOST_TIMES else f"more than {MOST_TIMES:,.0f} times as far"
    compared = f", while another dimension moves it {farther}" if best else ""
    return Finding(
        message=f"The ends of {worst.sweep.label}, held for {worst.sweep.horizon} steps, move the state by "
        f"{worst.relative:.1g} of its motion and {worst.effect:.1g} standard deviations (limit {share:g}){compared}.",
        confidence=MEDIUM if best else HIGH,
        evidence=tuple(
            Evidence(metric=f"{each.sweep.label} effect", value=each.effect, limit=share) for each in weak[:4]
        ),
    )


def _judge_by_reward(survey: Survey, strengths: list[_Strength], share: float) -> Answer:
    """Actions that move the state a little but hardly change the reward, so that no policy does better than another."""
    worst = max(strengths, key=lambda each: each.paid)
    if worst.paid >= share or measure_reward_scale(survey, worst.sweep.horizon) <= _measure_rounding(survey):
        return None
    if "random" not in survey.plays or not all(changes_observation(each.sweep) for each in strengths):
        return None
    if any(max(each.effect, each.relative) >= SLIGHT for each in strengths) and not _is_smooth(survey):
        return None
    plays = find_equal_plays(survey)
    if not plays:
        return None
    return Finding(
        message=f"The ends of {worst.sweep.label}, held for {worst.sweep.horizon} steps, change the reward by "
        f"{worst.paid:.1g} standard deviations (limit {share:g}), and {', '.join(plays)} play all earn the same.",
        confidence=MEDIUM,
        evidence=(Evidence(metric=f"{worst.sweep.label} effect on reward", value=worst.paid, limit=share),),
    )


def _judge_by_reach(survey: Survey, strengths: list[_Strength]) -> Answer:
    """Actions that would not get anywhere within an episode: starts and goals lie far beyond what they move."""
    play = survey.plays.get("random")
    if play is None or len(strengths) < len(survey.sweeps) or not len(play.ended_lengths):
        return None
    longest = float(play.ended_lengths.max())
    best = max(strengths, key=lambda each: each.effect)
    reach = best.effect * longest / best.sweep.horizon
    if not all(changes_observation(each.sweep) for each in strengths) or not reach < REACH:
        return None
    plays = find_equal_plays(survey)
    if not plays:
        return None
    return Finding(
        message=f"The ends of {best.sweep.label}, held for {best.sweep.horizon} steps, move the state by "
        f"{best.effect:.2g} standard deviations, which is {reach:.2g} over the {longest:,.0f} steps of an episode "
        f"(limit {REACH:.2g}), and {', '.join(plays)} play all earn the same.",
        confidence=MEDIUM,
        evidence=(Evidence(metric=f"{best.sweep.label} reach in an episode", value=reach, limit=REACH),),
    )


def _is_smooth(survey: Survey) -> bool:
    """Whether the reward of a step is close to that of the previous one, as when it depends on a moving state.

    Then an action that hardly changes it is weak. A sparse or mostly random reward shows nothing within the few steps
    of a sweep, and nor does one of a few levels, such as -1 outside of the goal and 0 inside.
    """
    play = survey.plays["random"]
    within = play.time[1:] > 0
    before, after = play.rewards[:-1][within], play.rewards[1:][within]
    if len(before) < FEWEST_PAIRS or not np.isfinite(before).all() or before.std() == 0 or after.std() == 0:
        return False
    if len(np.unique(play.rewards)) <= LEVELS:
        return False
    together = float(((before - before.mean()) * (after - after.mean())).mean())
    return together / float(before.std() * after.std()) > ALIKE


def _measure_strength(survey: Survey, sweep: ActionSweep) -> _Strength:
    ends = measure_ends(sweep.far, sweep.positions)
    motion = np.maximum(sweep.motion[: len(ends)], 1e-12)
    paid = measure_ends(np.abs(sweep.far_reward), sweep.positions)
    scale = measure_reward_scale(survey, sweep.horizon)
    relative = np.where(paid > _measure_rounding(survey), paid / scale if scale > 0 else np.inf, 0.0)
    return _Strength(sweep, take_median(ends), take_median(ends / motion), take_median(relative))


def _measure_rounding(survey: Survey) -> float:
    """What a difference between sums of rewards may be by rounding alone."""
    play = survey.plays.get("random")
    size = np.abs(play.rewards[np.isfinite(play.rewards)]) if play is not None else np.empty(0)
    return FAINT * float(size.max(initial=0.0))
