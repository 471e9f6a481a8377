from __future__ import annotations

from collections.abc import Iterator

import msgspec
import numpy as np

from weaklink.base.evidence.survey import OUT_OF_BOUNDS, Complaint, Survey
from weaklink.base.finding import HIGH, MEDIUM, Answer, CannotTell, Evidence, Finding, Level
from weaklink.base.loop import Link
from weaklink.judge.rules._registry import rule
from weaklink.judge.rules.environment._complaints import (
    ABOUT_OBSERVATION,
    MEMBER,
    Known,
    breaks_the_contract,
    level_of,
    plain,
    recognised,
)
from weaklink.judge.rules.environment._starts import SEEDS_MAKE_NO_DIFFERENCE, starts_are_alike


@rule(
    "ENV101",
    link=Link.ENVIRONMENT,
    level=Level.ERROR,
    on=Survey,
    leads_to=("OBS105", "OBS107", "OBS109"),
)
def api_violation(survey: Survey, *, most: int = 8) -> Answer:
    """The environment breaks the contract of reset and step.

    ## What it sees
    What `reset` and `step` take and give back: the number of values, their types, shapes and keys, and whether the
    seed arrives. weaklink looks itself, and Gymnasium's checker and, where it is installed, that of
    Stable-Baselines3 are asked too. Each complaint is a finding of its own, at the level that the checker gave it;
    advice and the limits of one library are never more than worth knowing.

    ## Why it is bad
    A trainer believes what the spaces say. A flag that is a number, a reward that is an array or a seed that is thrown
    away seldom raises an error: it is broadcast, cast or ignored, and the training goes on with something else.

    ## What to do
    1. Mend what the message says; each one names its own cure.
    2. Run the checker in the tests of the environment, so that it stays mended.

    ## How to prove it
    `weaklink preflight ENV --select ENV101` must say nothing any more.

    ## When it is wrong
    Checkers take part in ordinary play and may meet a state that they do not expect, such as an episode that ends in
    its first step. Text, graphs and sequences are unknown to some checkers; what they say of them is told as worth
    knowing only.

    ## References
    Gymnasium, Environment API and `check_env`; Stable-Baselines3, `check_env`; Stable-Baselines3 issue #810.
    """
    complaints = tuple(_broken(survey)) + (survey.complaints or ())
    if survey.complaints is None and not complaints:
        return CannotTell(("complaints",), "no checker was asked")
    found = sorted(_once(complaints, survey), key=lambda finding: -finding.severity)
    if len(found) > most:
        rest = f" ({len(found) - most} more complaints are not shown)."
        last = msgspec.structs.replace(found[most - 1], message=found[most - 1].message.removesuffix(".") + rest)
        found = [*found[: most - 1], last]
    return found[0] if len(found) == 1 else tuple(found) or None


def _once(complaints: tuple[Complaint, ...], survey: Survey) -> list[Finding]:
    """A finding for each kind of complaint, from the checker that takes it most seriously."""
    told: dict[str, Finding] = {}
    for complaint in complaints:
        known = recognised(complaint.text, complaint.source, survey.observation)
        level = None if _elsewhere(complaint, survey) else level_of(complaint, known, survey)
        if level is None:
            continue
        place = known.pattern if known is not None else plain(complaint.text)
        if place not in told or level > told[place].severity:
            told[place] = _finding(complaint, known, level)
    reason = next((row.pattern for row in ABOUT_OBSERVATION if row.pattern in told), None)
    if reason is not None and MEMBER.pattern in told:
        worse = max(told.pop(MEMBER.pattern).severity, told[reason].severity)
        told[reason] = msgspec.structs.replace(told[reason], level=worse)
    return list(told.values())


def _finding(complaint: Complaint, known: Known | None, level: Level) -> Finding:
    words = plain(complaint.text)
    cause = known.cause if known is not None else ""
    source = complaint.source or "A checker"
    told = f"{source} says: {words}" if not cause else f"{cause[0].upper()}{cause[1:]}: {source} says '{words}'"
    return Finding(
        message=f"{told}.",
        level=level,
        fix=(known.cure,) if known is not None and known.cure else (),
        confidence=HIGH if known is not None else MEDIUM,
        evidence=(Evidence(metric="complaint", value=1.0, limit=0.0),),
    )


def _broken(survey: Survey) -> Iterator[Complaint]:
    """Faults that are breaches of the contract rather than crashes."""
    for fault in survey.faults:
        if breaks_the_contract(fault):
            text = fault.message.partition(": ")[2] or fault.message
            yield Complaint(source="weaklink", level="error", text=text)


def _elsewhere(complaint: Complaint, survey: Survey) -> bool:
    """Whether another rule tells this: the one that it is about, ENV104, or the one for crashes."""
    if any(_repeats(complaint.text, fault.message) for fault in survey.faults if not breaks_the_contract(fault)):
        return True
    if SEEDS_MAKE_NO_DIFFERENCE in complaint.text and starts_are_alike(survey):
        return True
    if complaint.about == OUT_OF_BOUNDS:
        return not _only_by_type(complaint, survey)
    return bool(complaint.about)


def _repeats(text: str, message: str) -> bool:
    """Whether a checker only met the exception that the survey met too."""
    inside = message.partition(": ")[2] or message
    return len(inside) > 3 and (inside in text or text in message)


def _only_by_type(complaint: Complaint, survey: Survey) -> bool:
    """Whether an observation that is no member of its space has all its numbers within the bounds: a wrong dtype."""
    seen = [play.observations for play in survey.plays.values() if play.observations is not None]
    if "space" not in complaint.text or survey.observation is None or not seen:
        return False
    columns = survey.observation.columns
    kept = range(len(columns)) if survey.seen_columns is None else survey.seen_columns
    low = np.array([columns[place].low for place in kept])
    high = np.array([columns[place].high for place in kept])
    return all(
        rows.shape[1] == len(low) and len(rows) > 0 and bool(np.all((rows >= low) & (rows <= high))) for rows in seen
    )
