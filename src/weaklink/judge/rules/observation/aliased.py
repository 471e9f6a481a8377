from __future__ import annotations

from weaklink.base.evidence.survey import Survey
from weaklink.judge.rules.writing import HIGH, Answer, CannotTell, Evidence, Finding, Level, Link, rule


@rule(
    "OBS107",
    link=Link.OBSERVATION,
    level=Level.ERROR,
    on=Survey,
    leads_to=("VAL301", "VAL304", "REW301", "EXP303"),
)
def aliased(survey: Survey) -> Answer:
    """The environment returns its own array and changes it afterwards.

    ## What it sees
    An observation that had already been returned held other numbers after the next step or reset: both are one array in
    memory.

    ## Why it is bad
    A replay buffer or rollout that stores the observation later finds the next one in its place: every pair of
    observation and action is shifted by one step, or all rows of a batch are the same. Nothing crashes, and the curves
    look plausible.

    ## What to do
    1. Return `observation.copy()` from `reset` and from `step`.
    2. Do the same in wrappers that keep a buffer of frames.
    3. Where copying costs too much, alternate between two arrays, and copy in the learner.

    ## How to prove it
    Keep the first observation and a copy of it, take one step, and compare the two: they must still be equal.
    `weaklink preflight ENV` does this.

    ## When it is wrong
    A learner that copies every observation at once is not affected. Other learners are, and so are your tests.

    ## References
    keras-rl issue #51; SuperSuit issue #116; RLExplorer, the same data stored again and again.
    """
    if survey.in_place is None:
        return CannotTell(("in_place",), "observations were not checked again after the next step")
    if not survey.in_place:
        return None
    return Finding(
        message=f"An observation was changed in place after it had been returned, in {survey.in_place}.",
        confidence=HIGH,
        evidence=(Evidence(metric="observation.changed_in_place", value=1.0, limit=0.0),),
    )
