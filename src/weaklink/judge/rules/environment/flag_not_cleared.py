from __future__ import annotations

from pathlib import Path

from weaklink.base.evidence.survey import Survey
from weaklink.base.evidence.written import LATCHED, CodeFlaw
from weaklink.judge.rules.writing import MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, answer_with, rule

BLAMED = {"reward": Link.REWARD, "observation": Link.OBSERVATION, "info": Link.EVALUATION}
RETURNED = {"end": "the end of the episode"}


@rule(
    "ENV121",
    link=Link.ENVIRONMENT,
    level=Level.WARN,
    on=Survey,
    needs=("observation",),
    leads_to=("ENV103", "ENV112", "EVA103", "EVA104", "REW124", "TSK102", "TSK104"),
)
def flag_not_cleared(survey: Survey) -> Answer:
    """A flag that a step sets stays set in all episodes after it: no reset clears it.

    ## What it sees
    The source of the environment and of its wrappers, as far as it is your own. `__init__` gives an attribute True or
    False, a step (or a method that it calls) gives it the opposite and never gives it back, `reset` and what it calls
    do not write it, and the observation, the reward, the end or the info that the step returns follows from it.

    ## Why it is bad
    The first episode is another task than those after it: a prize is paid once in the life of the environment, a door
    stays open, an episode is over as soon as it begins, every later episode counts as a success. A fresh instance, as
    in a test, shows nothing of it.

    ## What to do
    1. Set the flag back in `reset`, beside all else that belongs to one episode.
    2. Or give all such attributes their first value in `reset` alone, and not in `__init__`.

    ## How to prove it
    Play one instance until the flag is set, reset it, and print the flag: it must be what it was at first.

    ## When it is wrong
    Where it is meant to last, such as a curriculum that is solved once for all. Nothing is said where a method writes
    attributes by other ways (`setattr`, `vars(self)`, a call of `__init__`).

    ## References
    Practice.
    """
    if survey.code is None:
        return CannotTell(("code",), "there is no code of your own that could be read")
    return answer_with(_describe(one) for one in survey.code if one.kind == LATCHED)


def _describe(flaw: CodeFlaw) -> Finding:
    file, _, line = flaw.where.rpartition(":")
    return Finding(
        message=f"`{flaw.function}` sets `{flaw.name}` (line {line} of {Path(file).name}), on which "
        f"{RETURNED.get(flaw.part, f'the {flaw.part}')} depends, and neither a reset nor a step ever sets it back: it "
        "lasts for all later episodes.",
        link=BLAMED.get(flaw.part),
        confidence=MEDIUM,
        evidence=(Evidence(metric=f"resets that clear {flaw.name}", value=0.0, limit=1.0),),
    )
