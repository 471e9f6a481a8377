from __future__ import annotations

from collections.abc import Iterator

import msgspec
import numpy as np

from weaklink.base.evidence.survey import OUT_OF_BOUNDS, CheckerComplaint, Survey
from weaklink.judge.rules.environment._complaints import (
    ABOUT_OBSERVATION,
    MEMBER,
    KnownComplaint,
    clean_complaint,
    is_api_violation,
    is_crash,
    rate_complaint,
    recognise,
)
from weaklink.judge.rules.environment._starts import SEEDS_MAKE_NO_DIFFERENCE, starts_are_alike
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


@rule(
    "ENV101",
    link=Link.ENVIRONMENT,
    level=Level.ERROR,
    on=Survey,
    leads_to=("OBS105", "OBS107", "OBS109"),
    marks=("left to trainers",),
)
def api_violation(survey: Survey, *, most: int = 8) -> Answer:
    """The environment violates the API of reset and step.

    ## What it sees
    What `reset` and `step` accept and return: the number of values, their types, shapes and keys, and whether the seed
    arrives. weaklink runs its own checks, Gymnasium's checker and, where it is installed, the one of Stable-Baselines3.
    Each complaint is a separate finding, at the level that the checker gave it; advice and the limits of one library
    are never more than info. An observation that is not what its space declares is blamed on the observation.

    ## Why it is bad
    A trainer relies on the declared spaces. A flag that is a number, a reward that is an array or a seed that is
    ignored seldom raises an error: it is broadcast, cast or dropped, and training continues on wrong data.

    ## What to do
    1. Fix what the message says; each finding names its fix.
    2. Run the checker in the environment's tests, so that it stays fixed.

    ## How to prove it
    `weaklink preflight ENV --select ENV101` must report nothing any more.

    ## When it is wrong
    Checkers play ordinary episodes and may meet a state that they do not expect, such as an episode that ends in its
    first step. Some checkers do not know text, graphs and sequences; their complaints about these are reported as info
    only.

    ## References
    Gymnasium, Environment API and `check_env`; Stable-Baselines3, `check_env`; Stable-Baselines3 issue #810.
    """
    complaints = tuple(_find_broken_calls(survey)) + (survey.complaints or ())
    if survey.complaints is None and not complaints:
        return CannotTell(("complaints",), "no checker was asked")
    found = sorted(_report_once(complaints, survey), key=lambda finding: -finding.severity)
    if len(found) > most:
        rest = f" ({len(found) - most} more complaints are not shown)."
        last = msgspec.structs.replace(found[most - 1], message=found[most - 1].message.removesuffix(".") + rest)
        found = [*found[: most - 1], last]
    return answer_with(found)


def _report_once(complaints: tuple[CheckerComplaint, ...], survey: Survey) -> list[Finding]:
    """One finding for each kind of complaint, at the highest level that any checker gives it."""
    told: dict[str, Finding] = {}
    for complaint in complaints:
        known = recognise(complaint.text, complaint.source, survey.observation)
        level = None if _is_reported_elsewhere(complaint, survey) else rate_complaint(complaint, known, survey)
        if level is None:
            continue
        place = known.pattern if known is not None else clean_complaint(complaint.text)
        if place not in told or level > told[place].severity:
            told[place] = _describe(complaint, known, level)
    reason = next((row.pattern for row in ABOUT_OBSERVATION if row.pattern in told), None)
    if reason is not None and MEMBER.pattern in told:
        worse = max(told.pop(MEMBER.pattern).severity, told[reason].severity)
        told[reason] = msgspec.structs.replace(told[reason], level=worse)
    return list(told.values())


def _describe(complaint: CheckerComplaint, known: KnownComplaint | None, level: Level) -> Finding:
    words = clean_complaint(complaint.text)
    cause = known.cause if known is not None else ""
    source = complaint.source or "A checker"
    told = f"{source} says: {words}" if not cause else f"{cause[0].upper()}{cause[1:]}: {source} says '{words}'"
    return Finding(
        message=f"{told}.",
        level=level,
        link=Link.OBSERVATION if known in (MEMBER, *ABOUT_OBSERVATION) else None,
        fix=(known.cure,) if known is not None and known.cure else (),
        confidence=HIGH if known is not None else MEDIUM,
        evidence=(Evidence(metric="complaint", value=1.0, limit=0.0),),
    )


def _find_broken_calls(survey: Survey) -> Iterator[CheckerComplaint]:
    """Faults that are API violations rather than crashes, as complaints."""
    for fault in survey.faults:
        if is_api_violation(fault):
            text = fault.message.partition(": ")[2] or fault.message
            yield CheckerComplaint(source="weaklink", level="error", text=text)


def _is_reported_elsewhere(complaint: CheckerComplaint, survey: Survey) -> bool:
    """Whether another rule reports this: the one that it is about, ENV104, or the one for crashes."""
    if any(_repeats(complaint.text, fault.message) for fault in survey.faults if is_crash(fault, survey)):
        return True
    if SEEDS_MAKE_NO_DIFFERENCE in complaint.text and starts_are_alike(survey):
        return True
    if complaint.about == OUT_OF_BOUNDS:
        return not _has_wrong_dtype_only(complaint, survey)
    return bool(complaint.about)


def _repeats(text: str, message: str) -> bool:
    """Whether a checker only hit the exception that the survey hit too."""
    inside = message.partition(": ")[2] or message
    return len(inside) > 3 and (inside in text or text in message)


def _has_wrong_dtype_only(complaint: CheckerComplaint, survey: Survey) -> bool:
    """Whether an observation outside its space has all its numbers within the bounds: then its dtype is wrong."""
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
