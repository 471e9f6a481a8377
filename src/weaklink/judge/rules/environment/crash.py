from __future__ import annotations

from weaklink.base.evidence.survey import Survey
from weaklink.base.finding import Answer, CannotTell, Level
from weaklink.base.loop import Link
from weaklink.judge.rules._registry import rule
from weaklink.judge.rules.environment._complaints import is_crash
from weaklink.judge.rules.environment._faults import fault_finding, told_once, was_watched

_WORDS = {"raised": "raised", "died": "took the whole process down"}


@rule(
    "ENV111",
    link=Link.ENVIRONMENT,
    level=Level.ERROR,
    on=Survey,
    leads_to=("ENV108", "REW101", "TSK103", "TSK105"),
)
def crash(survey: Survey, *, most: int = 5) -> Answer:
    """The environment raises an exception or takes its process down.

    ## What it sees
    The survey ended early, in making the environment, in a reset or in a step, because an exception came out of it or
    because the whole process died. The finding names the call, what the survey was doing, the step, and the innermost
    place in the code. What could not be looked at after that is listed as not judged.

    ## Why it is bad
    A training of a million steps meets every state that a survey of ten thousand meets, and dies there. What was
    learnt since the last checkpoint is lost.

    ## What to do
    1. Read the place that the finding names; the message is that of the exception itself.
    2. Repeat it by hand: the same seed and random actions until the step named.
    3. A process that died without an exception ran out of memory or crashed in compiled code: run it with
       `python -X faulthandler` to see where.

    ## How to prove it
    `weaklink preflight ENV` must run to its end.

    ## When it is wrong
    An environment that wants something the survey does not have, such as a screen, a file or a server, fails here and
    works where these are.

    ## References
    Practice.
    """
    faults = [fault for fault in survey.faults if fault.kind in _WORDS and is_crash(fault, survey)]
    if not faults:
        return None if was_watched(survey) else CannotTell(("plays",), "the environment was never stepped")
    found = tuple(fault_finding(fault, _WORDS[fault.kind]) for fault in told_once(faults, most))
    return found[0] if len(found) == 1 else found
