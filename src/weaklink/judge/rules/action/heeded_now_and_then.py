from __future__ import annotations

import numpy as np

from weaklink.base.evidence.acting import ActionTrials
from weaklink.base.evidence.survey import Survey
from weaklink.judge.rules.writing import HIGH, Answer, CannotTell, Evidence, Finding, Level, Link, rule

FEWEST_TIMES = 3  # at which actions are heeded, one period apart each
SHORTEST = 3  # steps of a period: every second step may be a turn of somebody else

# steps after the first at none of which another action shows, and states, further on, in which none does
LONG, FEWEST_STATES = 20, 8

# draws, the share with which actions may be heeded (a sticky action is at three in four), the share of starts from
# which both must be seen, and of the actions that then must lead to different things: at a wall two may lead to one
FEWEST_DRAWS, RARELY, HALF, NEARLY_EACH = 48, 0.3, 0.5, 0.75


@rule(
    "ACT117",
    link=Link.ACTION,
    level=Level.WARN,
    on=Survey,
    needs=("action", "trials"),
    leads_to=("ACT101", "ACT103", "ACT106", "REW105", "TSK102", "TSK103"),
)
def heeded_now_and_then(survey: Survey) -> Answer:
    """Actions act once in several steps only, at the first step alone, or by a small chance.

    ## What it sees
    At each step of an episode other actions are tried, all else equal. They make a difference to what is seen within
    the next steps once in a fixed number of steps, three times or more, and at none of the steps in between. Or they
    make one at the first step and at none of twenty later ones, nor in any other state that is not a first one. Or
    chance decides: from one start, three actions or more lead to one and the same with most draws of the environment's
    random numbers, and nearly each of them somewhere else with fewer than three in ten.

    ## Why it is bad
    Most of what the policy does is ignored, without a word of it. A learner credits actions with what others did, and a
    policy cannot know when it is its turn.

    ## What to do
    1. Repeat the action inside of `step` instead: one step of the environment for one decision, its rewards summed.
    2. Where decisions are that rare, show the time until the next one; where there is one for a whole episode, make it
       an episode of one step.
    3. Look for what is kept from the first step on, such as `if self.valve is None`, and never replaced.

    ## How to prove it
    Step twice from the same seed with opposite actions at the second step only: the observations must differ.

    ## When it is wrong
    A turn of somebody else, or a cool-down that is part of the task and seen.

    ## References
    Practice; Mnih et al., Human-level Control through Deep Reinforcement Learning, 2015, on repeating actions.
    """
    trials = survey.trials
    assert trials is not None
    times = np.flatnonzero(trials.heeded)
    by_chance = _judge_chance(trials)
    if by_chance is not None:
        return by_chance
    if not len(trials.heeded):
        return None
    if _is_first_alone(trials):
        return Finding(
            message=f"Actions make a difference at the first step of an episode alone: at none of the next "
            f"{len(trials.heeded) - 1} steps another action changes what is seen, nor in any of "
            f"{int(np.count_nonzero(trials.times > 0))} other states later than that.",
            confidence=HIGH,
            evidence=(
                Evidence(metric="steps at which actions are heeded", value=1.0, limit=float(len(trials.heeded))),
            ),
        )
    if len(times) < FEWEST_TIMES:
        return CannotTell(("trials",), f"actions made a difference at fewer than {FEWEST_TIMES} times")
    period = int(times[1] - times[0])
    if period < SHORTEST or np.any(np.diff(times) != period) or len(trials.heeded) - times[-1] > period:
        return None
    return Finding(
        message=f"Actions make a difference once in {period} steps only, at {len(times)} of {len(trials.heeded)} steps "
        "from the reset on: those in between are ignored.",
        confidence=HIGH,
        evidence=(Evidence(metric="steps between heeded actions", value=float(period), limit=float(SHORTEST)),),
    )


def _judge_chance(trials: ActionTrials) -> Finding | None:
    """The finding, if chance replaces the action as a whole, nearly always."""
    outcomes = trials.outcomes
    heard = outcomes > 1
    if outcomes.size < FEWEST_DRAWS or not RARELY > float(heard.mean()) > 0.0:
        return None
    either = float(np.mean(heard.any(axis=1) & ~heard.all(axis=1)))
    if either < HALF or float(outcomes[heard].mean()) < NEARLY_EACH * trials.compared:
        return None
    return Finding(
        message=f"From the same start {trials.compared} actions lead to one and the same with {(~heard).mean():.0%} of "
        f"{outcomes.size} draws of the environment's random numbers, and with the others each somewhere else: an "
        "action is heeded by chance, and seldom.",
        confidence=HIGH,
        evidence=(Evidence(metric="draws with which actions are heeded", value=float(heard.mean()), limit=RARELY),),
    )


def _is_first_alone(trials: ActionTrials) -> bool:
    """Whether another action shows at the first step, and at none and in no state after it, to the reward neither."""
    later = trials.times > 0
    if len(trials.heeded) <= LONG or not trials.heeded[0] or trials.heeded[1:].any():
        return False
    same = np.all(trials.rows == trials.rows[:, :1], axis=2) & (trials.rewards == trials.rewards[:, :1])
    idle = same.all(axis=1)
    return int(later.sum()) >= FEWEST_STATES and bool(idle[later].all()) and bool(np.any(~idle[~later]))
