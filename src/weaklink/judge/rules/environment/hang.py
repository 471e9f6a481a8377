from __future__ import annotations

from weaklink.base.evidence.survey import Survey
from weaklink.judge.rules.environment._faults import report_faults
from weaklink.judge.rules.writing import Answer, Level, Link, rule


@rule("ENV112", link=Link.ENVIRONMENT, level=Level.ERROR, on=Survey)
def hang(survey: Survey, *, most: int = 5) -> Answer:
    """A call to the environment does not return.

    ## What it sees
    A call of `make`, `reset` or `step` gave no sign of life for so long that the survey gave up on it. The finding
    names the call, what the survey was doing, how many steps had been taken, and where in the code it was waiting.

    ## Why it is bad
    A training that waits for one environment waits forever, and it looks like a slow one: no error, no log, and the
    machine still costs money.

    ## What to do
    1. Look at the line that the finding names: a loop that tries placements until one fits, a lock, a server that never
       answers.
    2. Give every such loop a maximum number of tries and every wait a timeout, and raise when it is reached.
    3. In a `reset` that samples until the start is valid, check that a valid start exists for every seed.

    ## How to prove it
    `weaklink preflight ENV` must run to its end.

    ## When it is wrong
    A simulator that takes minutes to start, or compiles in its first step, looks the same at first.

    ## References
    Practice.
    """
    faults = [fault for fault in survey.faults if fault.kind == "hung"]
    return report_faults(survey, faults, {"hung": "did not return"}, most)
