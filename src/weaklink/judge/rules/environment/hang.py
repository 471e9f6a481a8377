from __future__ import annotations

from weaklink.base.evidence.survey import Survey
from weaklink.base.finding import Answer, CannotTell, Level
from weaklink.base.loop import Link
from weaklink.judge.rules._registry import rule
from weaklink.judge.rules.environment._faults import fault_finding, told_once, was_watched


@rule("ENV112", link=Link.ENVIRONMENT, level=Level.ERROR, on=Survey)
def hang(survey: Survey, *, most: int = 5) -> Answer:
    """A call of the environment does not come back.

    ## What it sees
    A call of `make`, `reset` or `step` gave no sign of life for so long that the survey gave it up. The finding names
    the call, what the survey was doing, how many steps had been made, and where in the code it was waiting.

    ## Why it is bad
    A training that waits for one environment waits for ever, and it looks like a slow one: no error, no log, a machine
    that is rented for nothing.

    ## What to do
    1. Look at the place that the finding names: a loop that tries to place something until it fits, a lock, an answer
       from a server that never comes.
    2. Give every such loop a largest number of tries and every wait a time limit, and raise when it is reached.
    3. In a `reset` that draws until the start is valid, check that a valid one exists for every seed.

    ## How to prove it
    `weaklink preflight ENV` must run to its end.

    ## When it is wrong
    A simulator that starts up for minutes, or compiles itself in its first step, looks the same at first.

    ## References
    Practice.
    """
    faults = [fault for fault in survey.faults if fault.kind == "hung"]
    if not faults:
        return None if was_watched(survey) else CannotTell(("plays",), "the environment was never stepped")
    found = tuple(fault_finding(fault, "did not come back") for fault in told_once(faults, most))
    return found[0] if len(found) == 1 else found
