from __future__ import annotations

from pathlib import Path

from weaklink.base.evidence.survey import Survey
from weaklink.base.evidence.written import OVERWRITTEN, UNREAD, UNUSED, CodeFlaw
from weaklink.judge.rules.writing import (
    HIGH,
    MEDIUM,
    Answer,
    CannotTell,
    Evidence,
    Finding,
    Level,
    Link,
    answer_with,
    rule,
)

BLAMED = {"observation": Link.OBSERVATION, "reward": Link.REWARD, "action": Link.ACTION}
MOST = 3  # findings: where there are many, the code is unfinished


@rule(
    "ENV119",
    link=Link.ENVIRONMENT,
    level=Level.WARN,
    on=Survey,
    needs=("observation",),
    leads_to=(
        "OBS102", "OBS108", "OBS110", "ACT101", "ENV105", "REW101", "REW102", "REW103", "REW105", "REW107", "TSK103",
        "TSK104", "TSK108",
    ),
)  # fmt: skip
def lost_value(survey: Survey) -> Answer:
    """The code of the environment works something out and never uses it.

    ## What it sees
    The source of the environment and of its wrappers is read, as far as it is your own: the methods that are in force,
    without those that only draw. A value is written to a name, to an element of an array or to an attribute, and
    written again before anything can have read it: a reward of a branch that the next line replaces, the second column
    of an observation where the third was meant. Or a step works out a condition, a payment, a cost or something from
    its action, and nothing reads it. Or a number with a telling name is declared in the class, and neither a method
    that is in force nor another module of yours that is loaded reads it: a warning where it is a cost or a payment,
    information where it is a limit, which a trainer or a registration may read. Constants to begin with are left out.

    ## Why it is bad
    What was meant to be paid, seen, done or ended is not, and nothing raises.

    ## What to do
    1. Look at the line, and at the one that replaces it: most often a name or an index is that of the line above, or an
       `else` or a `+` is missing.
    2. Where the value is really not needed, delete the line.

    ## How to prove it
    Delete the line that is told and play an episode with the same seed and the same actions: nothing changes.

    ## When it is wrong
    A leftover of an earlier version, which does no harm. Code that reads its own variables by name, and a file that was
    changed after it was imported.

    ## References
    Liveness analysis: Aho, Lam, Sethi and Ullman, Compilers, section 9.2.5; Pylint W0612, W0101; practice.
    """
    if survey.code is None:
        return CannotTell(("code",), "there is no code of your own that could be read")
    found = [one for one in survey.code if one.kind in (OVERWRITTEN, UNUSED, UNREAD)]
    return answer_with(_describe(one) for one in found[:MOST])


def _describe(flaw: CodeFlaw) -> Finding:
    file, _, line = flaw.where.rpartition(":")
    at = f"line {line} of {Path(file).name}"
    if flaw.kind == OVERWRITTEN:
        message = f"`{flaw.name}` gets a value in `{flaw.function}` ({at}), and another in line {flaw.later} before "
        message += "anything can have read it: the first one is lost."
    elif flaw.kind == UNUSED:
        message = f"`{flaw.function}` works out `{flaw.name}` ({at}), and nothing reads it."
    else:
        message = f"`{flaw.name}` is declared in `{flaw.function}` ({at}), and nothing that is loaded reads it."
    elsewhere = flaw.kind == UNREAD and flaw.part != "reward"  # a limit may be for whoever makes the environment
    return Finding(
        message=message,
        level=Level.INFO if elsewhere else Level.WARN,
        link=BLAMED.get(flaw.part),
        confidence=HIGH if flaw.kind == OVERWRITTEN else MEDIUM,
        evidence=(Evidence(metric=f"times that {flaw.name} is read", value=0.0, limit=1.0),),
    )
