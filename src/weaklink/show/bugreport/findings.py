"""Findings with the numbers that prove them."""

from __future__ import annotations

from collections.abc import Iterator

from weaklink.base.finding import Finding
from weaklink.show import wording
from weaklink.show.bugreport.pen import Pen, folded
from weaklink.show.text import confidence
from weaklink.verbs.bugreport import Judgement


def answer(judgement: Judgement, pen: Pen) -> str:
    """The verdict of one judgement in a sentence."""
    diagnosis = judgement.diagnosis
    first = wording.first_finding(diagnosis)
    if first is None or first.link is None:
        told = wording.reason(diagnosis, judgement.run) if judgement.run else wording.survey_reason(diagnosis)
    else:
        when = wording.since(first, diagnosis)
        told = f"{first.link.value} broke first: {wording.title(first)}" + (f", {when}" if when else "")
    return f"{judgement.about}: {diagnosis.verdict.value.upper()}, {pen.prose(told)}"


def lines(judgement: Judgement, pen: Pen) -> Iterator[str]:
    """The breaks in full, what followed from them, and behind a fold what is merely worth knowing."""
    diagnosis = judgement.diagnosis
    broken = wording.breaks(diagnosis)
    for finding in broken[: pen.most]:
        yield from _broken(finding, judgement, pen)
    yield from pen.rest(len(broken))
    known = wording.worth_knowing(diagnosis)
    notes = [f"- **{wording.title(one)}** {pen.prose(one.message)}" for one in known[: pen.most]]
    yield from folded("Worth knowing, but no alarm", notes)


def _broken(finding: Finding, judgement: Judgement, pen: Pen) -> Iterator[str]:
    diagnosis = judgement.diagnosis
    sure = f"{finding.severity.word}, {confidence(finding.confidence)} confidence"
    place = wording.whereabouts(finding, diagnosis)
    yield from ("", f"**{wording.title(finding)}** ({place}; {sure})", "", pen.prose(finding.message))
    if finding.evidence:
        yield ""
    for one in finding.evidence[: pen.most]:
        yield f"- {pen.code(one.metric)}: {wording.measured(one, finding.onset, judgement.run)}"
    followed = diagnosis.under(finding.code)[: pen.most]
    if followed:
        yield from ("", f"Followed by: {', '.join(wording.title(one) for one in followed)}.")
    if finding.verify:
        command = finding.verify.startswith("weaklink ")
        yield from ("", f"To prove it: {pen.code(finding.verify) if command else pen.prose(finding.verify)}")
