from __future__ import annotations

import numpy as np

from weaklink.base.evidence.survey import Survey
from weaklink.judge.rules._latency import find_delay, is_view_late
from weaklink.judge.rules.action._delay import find_late_column
from weaklink.judge.rules.observation._prediction import (
    encode,
    measure_unexplained,
    split_episodes,
    standardise_columns,
)
from weaklink.judge.rules.writing import HIGH, Answer, Evidence, Finding, Level, Link, rule

# of the variance of an attribute, left open by the action alone: of its change, where it acts at once, and of what it
# is then, where it is no place in which actions wait
ACTS, NOT_KEPT = 0.7, 0.7
FEWEST_STEPS = 200


@rule(
    "ACT107",
    link=Link.ACTION,
    level=Level.WARN,
    on=Survey,
    needs=("latency",),
    leads_to=("ACT103", "OBS110", "ENV108", "TSK102", "TSK103", "TSK106"),
)
def late_effect(survey: Survey, *, longest: float = 2.0) -> Answer:
    """An action has its first effect only after several steps.

    ## What it sees
    From the same states, one single action is changed and all others stay the same. In none of the states does any
    observation, reward or end differ within 2 steps, though all of them differ later. In every healthy environment
    measured the very next observation differs; 2 steps are allowed because positions without velocities show a force
    one step late. Where they differ after 2 steps, it is the finding too if of what the observation leaves open of the
    change in a step of random play the action before explains nine tenths, and the present one hardly any.

    ## Why it is bad
    What an action does is credited to the actions taken meanwhile. The actions that are under way are part of the
    state, and the observation does not show them: with a delay of d steps the policy has to guess the last d actions.

    ## What to do
    1. Find the queue: an action buffer, a filter, a command that is sent before the new one is set, a simulation that
       is stepped before the action is written.
    2. If the delay is real, as on hardware, put the last d actions into the observation, or use a recurrent policy.
    3. Or act less often: repeat each action for at least d steps.

    ## How to prove it
    Reset twice with the same seed, take the same actions except one, and count the steps until the observations part.
    Then run `weaklink preflight ENV` again.

    ## When it is wrong
    An environment in which decisions are taken only at some steps, such as every tenth, and all others are ignored.
    Where an attribute of the environment moves with the action at once, as the place in a corridor that all looks
    alike, it is the observation that shows little, and nothing is said here.

    ## References
    Walsh et al., Learning and Planning in Environments with Delayed Feedback, 2009; Bouteiller et al., Reinforcement
    Learning with Random Delays, ICLR 2021.
    """
    latency = find_delay(survey, longest)
    if latency is None:
        return _judge_one_step(survey)
    if is_view_late(latency) or _acts_at_once(survey):
        return None
    steps = int(latency.first_seen)
    return Finding(
        message=f"A changed action makes no difference to any observation or later reward for {steps - 1} steps, and "
        f"does after {steps} (limit {longest:g}; {len(latency.seen)} states): actions act late, and what is under way "
        "is not observed.",
        level=Level.WARN,
        confidence=HIGH,
        evidence=(Evidence(metric="action.steps_to_effect", value=latency.first_seen, limit=longest),),
    )


def _acts_at_once(survey: Survey) -> bool:
    """Whether an attribute that is no store of actions is moved by the present one."""
    held = survey.held
    if held is None or survey.action is None or len(held.rewards) < FEWEST_STEPS:
        return False
    half = split_episodes(np.repeat(np.arange(len(held.lengths)), held.lengths))
    moving = np.flatnonzero(held.finite & np.any(held.after != held.before, axis=0))
    if half is None or not len(moving):
        return False
    acted = standardise_columns(encode(survey.action.columns, held.actions))
    after, change = held.after[:, moving], (held.after - held.before)[:, moving]
    acts = measure_unexplained(acted, change, half) < ACTS
    return bool(np.any(acts & (measure_unexplained(acted, after, half) > NOT_KEPT)))


def _judge_one_step(survey: Survey) -> Finding | None:
    """The finding, if every action acts one step late: seen after two steps, and by the action before alone."""
    latency = find_delay(survey, 1.0)
    late = None if latency is None or is_view_late(latency) else find_late_column(survey)
    if late is None:
        return None
    label, present, past = late
    return Finding(
        message=f"What changes in a step is the work of the action before: with that one {past:.0%} of the change of "
        f"{label} is left unexplained, with the present one {present:.0%}, and a changed action is first seen after 2 "
        "steps: actions act one step late.",
        level=Level.WARN,
        confidence=HIGH,
        evidence=(Evidence(metric="action.steps_to_effect", value=2.0, limit=1.0),),
    )
