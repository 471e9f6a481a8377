from __future__ import annotations

import numpy as np

from weaklink.base.evidence.survey import Survey
from weaklink.judge.rules.writing import HIGH, Answer, CannotTell, Evidence, Finding, Level, Link, rule

FEWEST_TIMES = 3  # at which actions are heeded, one period apart each
SHORTEST = 3  # steps of a period: every second step may be a turn of somebody else


@rule(
    "ACT117",
    link=Link.ACTION,
    level=Level.WARN,
    on=Survey,
    needs=("action", "trials"),
    leads_to=("ACT101", "ACT103", "ACT106", "REW105", "TSK102", "TSK103"),
)
def heeded_now_and_then(survey: Survey) -> Answer:
    """Actions act once in several steps only.

    ## What it sees
    At each step of an episode other actions are tried, all else equal. They make a difference to what is seen within
    the next steps once in a fixed number of steps, three times or more, and at none of the steps in between.

    ## Why it is bad
    Most of what the policy does is ignored, without a word of it. A learner credits actions with what others did, and a
    policy cannot know when it is its turn.

    ## What to do
    1. Repeat the action inside of `step` instead: one step of the environment for one decision, its rewards summed.
    2. Where decisions are that rare, show the time until the next one.

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
    if not len(trials.heeded):
        return None
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
