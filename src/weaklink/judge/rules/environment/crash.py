from __future__ import annotations

from weaklink.base.evidence.survey import Survey
from weaklink.judge.rules.environment._complaints import is_crash
from weaklink.judge.rules.environment._faults import report_faults
from weaklink.judge.rules.writing import Answer, Level, Link, rule

_WORDS = {"raised": "raised", "died": "killed the whole process"}


@rule(
    "ENV111",
    link=Link.ENVIRONMENT,
    level=Level.ERROR,
    on=Survey,
    leads_to=("ENV108", "REW101", "TSK103", "TSK105"),
)
def crash(survey: Survey, *, most: int = 5) -> Answer:
    """The environment raises an exception or kills its process.

    ## What it sees
    The survey ended early, while making the environment, in a reset or in a step, because of an exception or because
    the whole process died. The finding names the call, what the survey was doing, the step, and the innermost frame in
    the code. Whatever could not be checked after that is listed as not judged. Where the first step of an episode
    raises with some choices of a discrete action and not with others, the action space is at fault.

    ## Why it is bad
    A training of a million steps visits every state that a survey of ten thousand visits, and dies there. Everything
    learned since the last checkpoint is lost.

    ## What to do
    1. Read the line that the finding names; the message is that of the exception itself.
    2. Reproduce it by hand: the same seed and random actions until the step named.
    3. A process that died without an exception ran out of memory or crashed in compiled code: run it with
       `python -X faulthandler` to see where.

    ## How to prove it
    `weaklink preflight ENV` must run to its end.

    ## When it is wrong
    An environment that needs something the survey does not have, such as a display, a file or a server, fails here and
    works where these exist.

    ## References
    Practice.
    """
    faults = [fault for fault in survey.faults if fault.kind in _WORDS and is_crash(fault, survey)]
    return report_faults(survey, faults, _WORDS, most)
