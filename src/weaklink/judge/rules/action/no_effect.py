from __future__ import annotations

import numpy as np

from weaklink.base.evidence.series import Array
from weaklink.base.evidence.spaces import Space
from weaklink.base.evidence.survey import Survey
from weaklink.judge.rules.action._effects import (
    NOTHING,
    changes_observation,
    changes_reward,
    find_equal_plays,
    is_swept,
)
from weaklink.judge.rules.action._random_play import shows_effect
from weaklink.judge.rules.writing import HIGH, MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule

FEWEST_STATES = 6

# shares of states: healthy choices show from nearly all, within two steps from most, and held for 12 steps from all
SELDOM, AT_ONCE, LATER = 0.2, 1 / 3, 2 / 3


@rule(
    "ACT101",
    link=Link.ACTION,
    level=Level.ERROR,
    on=Survey,
    needs=("action",),
    leads_to=(
        "OBS108",
        "ACT102",
        "ACT103",
        "ACT106",
        "ENV108",
        "REW105",
        "REW107",
        "TSK101",
        "TSK102",
        "TSK103",
        "TSK106",
    ),
    checks={"observations change with actions": "decides"},
)
def no_effect(survey: Survey) -> Answer:
    """Actions have no effect.

    ## What it sees
    From the same seed, random actions and other actions give exactly the same trajectory: the same observations,
    rewards and ends. Where the trajectories differ in the end, but no action dimension has any effect from any state
    that was tried and random play shows none either, that is a warning. So it is where a choice has an effect now and
    then: a changed one shows within 60 steps from one state of five at the most, values held for 12 steps make a
    difference at once from one state of three at the most, no policy earns more than another, and episodes are of more
    than one step.

    ## Why it is bad
    The policy has no influence on what happens, so no action is better than another and there is nothing to learn. The
    training runs and finishes as if all were well.

    ## What to do
    1. Follow the action from `step` to the simulation: it is often overwritten, rounded to 0, multiplied by 0, or
       passed to a copy.
    2. Check the wrappers from the inside out; one that rescales or repeats actions may drop them.
    3. Check that the simulation is stepped after the action was set, and that its actuators are switched on.

    ## How to prove it
    Reset with the same seed twice, take ten steps with the lowest and ten with the highest action, and compare the last
    observations. Then run `weaklink preflight ENV` again.

    ## When it is wrong
    An effect that shows only late in an episode, after the steps compared here, or, in a very wide observation, only in
    columns that were not kept. A space with a single action cannot have an effect and is not judged.

    ## References
    Practice; RLMutation, missing state update, which looks the same from outside.
    """
    if survey.action is None or not _has_choice(survey.action):
        return None
    if any(changes_observation(sweep) or changes_reward(sweep) for sweep in survey.sweeps):
        return _judge_seldom(survey)
    if survey.same_whatever_done:
        told = "From the same seed, different actions give exactly the same observations, rewards and ends."
        return _describe(told, sure=survey.seen_columns is None)
    if _is_idle(survey):
        states = min(len(sweep.motion) for sweep in survey.sweeps)
        told = f"No action changes observation or reward in {states} states, and random play shows no effect either."
        return _describe(told, sure=False)
    if survey.same_whatever_done is None:
        return CannotTell(("same_whatever_done",), "no trajectories with different actions were compared")
    return None


def _judge_seldom(survey: Survey) -> Finding | None:
    """The finding, if actions hardly ever decide anything, as where most of them are replaced inside."""
    latency, tried = survey.latency, [sweep for sweep in survey.sweeps if is_swept(sweep, FEWEST_STATES)]
    if latency is None or len(latency.seen) < FEWEST_STATES or len(tried) < len(survey.sweeps):
        return None
    if _is_bandit(survey):
        return None
    shown = int(np.count_nonzero(np.isfinite(latency.seen) | np.isfinite(latency.paid)))
    at_once = max(_measure_share(sweep.near, sweep.near_reward) for sweep in tried)
    later = max(_measure_share(sweep.far, sweep.far_reward) for sweep in tried)
    if shown > SELDOM * len(latency.seen) or at_once > AT_ONCE or later > LATER or not find_equal_plays(survey):
        return None
    told = (
        f"A changed action makes a difference within {latency.horizon} steps from {shown} of {len(latency.seen)} "
        f"states, one that is held does so at once from {at_once:.0%} of them, and no policy earns more than another: "
        "most actions come to nothing."
    )
    return _describe(told, sure=False)


def _is_bandit(survey: Survey) -> bool:
    """Whether episodes are of one step: what an action earns there may be drawn, and mostly the same by chance."""
    lengths = [play.lengths for play in survey.baselines.values() if len(play.lengths)]
    return bool(lengths) and float(np.median(np.concatenate(lengths))) <= 1.0


def _measure_share(effects: Array, rewards: Array) -> float:
    """The share of states in which any value makes a difference."""
    with np.errstate(invalid="ignore"):
        moved = ~(np.abs(effects) <= NOTHING) | ~(np.abs(rewards) <= NOTHING)
    return float(np.mean(moved.any(axis=1)))


def _describe(message: str, *, sure: bool) -> Finding:
    return Finding(
        message=message,
        level=Level.ERROR if sure else Level.WARN,
        confidence=HIGH if sure else MEDIUM,
        evidence=(Evidence(metric="action.effect", value=0.0, limit=0.0),),
    )


def _is_idle(survey: Survey) -> bool:
    """Whether every dimension was swept from several states without effect, and random play shows none."""
    tried = [sweep for sweep in survey.sweeps if is_swept(sweep)]
    if survey.action is None or not tried or len(tried) < survey.action.size:
        return False
    return all(shows_effect(survey, sweep.dimension) is False for sweep in tried)


def _has_choice(space: Space) -> bool:
    """Whether the space has more than one action."""
    return any(not np.isfinite(column.high - column.low) or column.high > column.low for column in space.columns)
