from __future__ import annotations

from pathlib import Path

from weaklink.base.evidence.survey import Survey
from weaklink.base.evidence.written import ALIASED, CodeFlaw
from weaklink.judge.rules.writing import HIGH, Answer, CannotTell, Evidence, Finding, Level, Link, answer_with, rule

BLAMED = {"reward": Link.REWARD, "observation": Link.OBSERVATION}


@rule(
    "ENV122",
    link=Link.ENVIRONMENT,
    level=Level.WARN,
    on=Survey,
    needs=("observation",),
    leads_to=("OBS102", "OBS115", "REW101", "REW102", "REW103", "REW105", "TSK102", "TSK103"),
)
def kept_by_reference(survey: Survey) -> Answer:
    """What a step keeps of an array before it changes is the array itself, and changes with it.

    ## What it sees
    The source of the environment and of its wrappers, as far as it is your own. A step (or a method that it calls)
    gives a name an attribute that holds a numpy array, without a copy; the array is then changed in place (`+=`,
    elements that are written); and the name is read after that.

    ## Why it is bad
    Before and after are one and the same: a difference between them is always zero, so progress pays nothing, a speed
    is never seen, and nothing raises.

    ## What to do
    1. Keep a copy: `before = self.place.copy()`.
    2. Or make a new array of the change: `self.place = self.place + move`.

    ## How to prove it
    Print `before is self.place` and the difference of both after a step: they must be False and not zero.

    ## When it is wrong
    A second name for the same array that is meant as one, such as a shorter one.

    ## References
    NumPy, Copies and views; practice.
    """
    if survey.code is None:
        return CannotTell(("code",), "there is no code of your own that could be read")
    return answer_with(_describe(one) for one in survey.code if one.kind == ALIASED)


def _describe(flaw: CodeFlaw) -> Finding:
    file, _, line = flaw.where.rpartition(":")
    return Finding(
        message=f"`{flaw.name}` is given an array in `{flaw.function}` without a copy (line {line} of "
        f"{Path(file).name}), which line {flaw.later} changes in place before `{flaw.name}` is read: it holds what "
        "comes after, not what was before.",
        link=BLAMED.get(flaw.part),
        confidence=HIGH,
        evidence=(Evidence(metric=f"copies that {flaw.name} is", value=0.0, limit=1.0),),
    )
