"""Why a survey ended early, in words."""

from __future__ import annotations

import re

from weaklink.base.evidence.survey import Fault, Survey
from weaklink.base.finding import HIGH, Evidence, Finding, Level

LIBRARY = re.compile(r"[/\\](site-packages|dist-packages)[/\\]|[/\\]lib[/\\]python3\.\d+[/\\]|<frozen")
"""Code that is not the environment's own."""

BEFORE_ANYTHING = ("make", "reset")
LONGEST = 200


def was_watched(survey: Survey) -> bool:
    """Whether anything was done with the environment at all, so that silence means something."""
    return bool(survey.plays or survey.comparisons or survey.members or survey.timing or survey.resets)


def told_once(faults: list[Fault], most: int) -> list[Fault]:
    """Faults that differ in call or message."""
    return list({(fault.call, fault.message): fault for fault in reversed(faults)}.values())[::-1][:most]


def _place(fault: Fault) -> str:
    """The innermost place in the environment's own code; the innermost of all where there is none."""
    own = [place for place in fault.where if not LIBRARY.search(place)]
    return (own or fault.where)[-1]


def fault_finding(fault: Fault, what: str) -> Finding:
    """The finding of a fault: the call, what it did, when, and the place in the code."""
    call = f"`{fault.call}`" if fault.call else "The environment"
    when = f" after {fault.step:,} steps" if fault.step else ""
    stage = f" ({fault.stage})" if fault.stage else ""
    message = " ".join(fault.message.split()).rstrip(". :")
    message = message if len(message) <= LONGEST else message[: LONGEST - 3].rstrip() + "..."
    saying = f": {message}" if message else ""
    where = f", at {_place(fault)}" if fault.where else ""
    blind = "; nothing that comes after it could be judged" if fault.call in BEFORE_ANYTHING else ""
    return Finding(
        message=f"{call} {what}{when}{stage}{saying}{where}{blind}.",
        level=Level.ERROR,
        confidence=HIGH,
        evidence=(Evidence(metric="faults", value=1.0, limit=0.0, step=float(fault.step)),),
    )
