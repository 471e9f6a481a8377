"""Why a survey ended early, in words."""

from __future__ import annotations

import re
from collections.abc import Mapping

from weaklink.base.evidence.survey import Survey, SurveyFault
from weaklink.base.finding import HIGH, Answer, CannotTell, Evidence, Finding, Level, answer_with
from weaklink.base.loop import Link
from weaklink.judge.rules._words import shorten

# code that does not belong to the environment
LIBRARY = re.compile(r"[/\\](site-packages|dist-packages)[/\\]|[/\\]lib[/\\]python3\.\d+[/\\]|<frozen")

BEFORE_ANYTHING = ("make", "reset")
SHOWN_CHOICES = 4  # that a message names before it counts the rest
LONGEST = 200  # characters of an exception that a message quotes: enough for its type and first sentence


def report_faults(survey: Survey, faults: list[SurveyFault], words: Mapping[str, str], most: int) -> Answer:
    """A finding for each different fault, described by the words for its kind; clean where the survey ran without."""
    if not faults:
        return None if _was_watched(survey) else CannotTell(("plays",), "the environment was never stepped")
    different = list({(fault.call, fault.message): fault for fault in reversed(faults)}.values())[::-1]
    return answer_with(_describe_fault(fault, words[fault.kind]) for fault in different[:most])


def _was_watched(survey: Survey) -> bool:
    """Whether the environment was used at all, so that the absence of faults means something."""
    return bool(survey.plays or survey.comparisons or survey.members or survey.timing or survey.resets)


def _find_place(fault: SurveyFault) -> str:
    """The innermost frame in the environment's code; the innermost of all where there is none."""
    own = [place for place in fault.where if not LIBRARY.search(place)]
    return (own or fault.where)[-1]


def _name_choices(choices: tuple[int, ...]) -> str:
    named = ", ".join(map(str, choices[:SHOWN_CHOICES]))
    more = f" and {len(choices) - SHOWN_CHOICES} more" if len(choices) > SHOWN_CHOICES else ""
    return f"the choice{'s' if len(choices) > 1 else ''} {named}{more}"


def _describe_fault(fault: SurveyFault, what: str) -> Finding:
    """The finding of a fault: the call, what it did, when, and the place in the code."""
    call = f"`{fault.call}`" if fault.call else "The environment"
    when = f" after {fault.step:,} steps" if fault.step else ""
    stage = f" ({fault.stage})" if fault.stage else ""
    message = shorten(" ".join(fault.message.split()).rstrip(". :"), LONGEST)
    saying = f": {message}" if message else ""
    where = f", at {_find_place(fault)}" if fault.where else ""
    told = f"; from the start it does so with {_name_choices(fault.choices)} and no other" if fault.choices else ""
    blind = "; nothing after it could be judged" if fault.call in BEFORE_ANYTHING else ""
    return Finding(
        message=f"{call} {what}{when}{stage}{saying}{where}{told}{blind}.",
        link=Link.ACTION if fault.choices else None,
        level=Level.ERROR,
        confidence=HIGH,
        evidence=(Evidence(metric="faults", value=1.0, limit=0.0, step=float(fault.step)),),
    )
