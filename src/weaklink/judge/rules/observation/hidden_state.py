from __future__ import annotations

from weaklink.base.evidence.survey import RANDOM, Survey
from weaklink.base.finding import HIGH, MEDIUM, Answer, CannotTell, Evidence, Finding, Level
from weaklink.base.loop import Link
from weaklink.judge.rules._registry import rule
from weaklink.judge.rules.observation._memory import Memory, exact, fitted


@rule(
    "OBS110",
    link=Link.OBSERVATION,
    level=Level.INFO,
    on=Survey,
    needs=("observation", RANDOM),
)
def hidden_state(survey: Survey, *, open_share: float = 0.25, closed: float = 0.25, gain: float = 0.05) -> Answer:
    """What happens next depends on something that the observation does not show.

    ## What it sees
    Whether the step before says more about the next observation and reward than the present observation and action
    do. Where observations repeat exactly, what follows from the same observation and action is compared, and knowing
    the step before takes away over 5 % of its uncertainty, beyond chance. Elsewhere small fits are compared: the
    present leaves over 25 % of some column open, and the step before brings that down to a quarter or less.

    ## Why it is bad
    States that look alike and need different actions cannot be told apart. A policy without memory settles for what is
    right on average, and its critic cannot get better than that either.

    ## What to do
    1. Show what is missing: velocities beside positions, the goal, the last action where it acts with a delay.
    2. Or stack the last few observations.
    3. Or use a policy with memory, such as `RecurrentPPO`.

    ## How to prove it
    Stack two observations (`FrameStackObservation` in Gymnasium) and run `weaklink preflight ENV` again: the finding
    must go. Then train both briefly.

    ## When it is wrong
    Randomness alone is no hidden state, and this rule is silent on it: the past does not tell dice. Very rough
    motion, such as hard contacts, may be easier to fit with the step before although nothing is missing.

    ## References
    Kaelbling, Littman and Cassandra, Planning and Acting in Partially Observable Stochastic Domains, 1998; practice.
    """
    play = survey.plays[RANDOM]
    memory = exact(play)
    if memory is not None:
        told = 1.0 - memory.still_open
        return None if told <= gain or memory.open <= 0 else _by_comparison(memory, told, gain)
    memory = fitted(survey, play, closed)
    if memory is None:
        why = "the observation is too wide, or the episodes are too short, to tell what the step before would add"
        return CannotTell((RANDOM,), why)
    if memory.open <= open_share or memory.still_open >= closed * memory.open:
        return None
    return _by_fit(memory, open_share)


def _by_comparison(memory: Memory, told: float, limit: float) -> Finding:
    return Finding(
        message="The same observation and action are followed by different outcomes, and knowing the step before takes "
        f"away {told:.0%} of that uncertainty (limit {limit:.0%}, {memory.steps:,} steps): something that matters is "
        "not shown.",
        confidence=HIGH,
        evidence=(Evidence(metric="observation.told_by_the_past", value=told, limit=limit),),
    )


def _by_fit(memory: Memory, limit: float) -> Finding:
    return Finding(
        message=f"Observation and action leave {memory.open:.0%} of {memory.what} open, and with the step before it is "
        f"{memory.still_open:.0%} (limit {limit:.0%}, {memory.steps:,} steps): something that matters is not shown.",
        confidence=MEDIUM,
        evidence=(
            Evidence(metric="observation.left_open", value=memory.open, limit=limit),
            Evidence(metric="observation.left_open_with_the_past", value=memory.still_open),
        ),
    )
