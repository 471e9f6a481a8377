"""Findings with the numbers that prove them."""

from __future__ import annotations

from collections.abc import Iterator

from weaklink.base.finding import Finding
from weaklink.show import wording
from weaklink.show.bugreport.pen import MarkdownPen, fold_lines
from weaklink.show.text import describe_confidence
from weaklink.verbs.bugreport import Judgement


def describe_verdict(judgement: Judgement, pen: MarkdownPen) -> str:
    """The verdict of one judgement in a sentence."""
    diagnosis = judgement.diagnosis
    first = wording.find_first_finding(diagnosis)
    if first is None or first.link is None:
        told = (
            wording.explain_verdict(diagnosis, judgement.run)
            if judgement.run
            else wording.explain_survey_verdict(diagnosis)
        )
    else:
        when = wording.describe_onset(first, diagnosis)
        told = f"{first.link.value} broke first: {wording.format_title(first)}" + (f", {when}" if when else "")
    return f"{judgement.about}: {diagnosis.verdict.value.upper()}, {pen.prose(told)}"


def write_lines(judgement: Judgement, pen: MarkdownPen) -> Iterator[str]:
    """The breaks in full, what followed from them, and behind a fold what is merely worth knowing."""
    diagnosis = judgement.diagnosis
    broken = wording.list_breaks(diagnosis)
    for finding in broken[: pen.most]:
        yield from _write_break(finding, judgement, pen)
    yield from pen.rest(len(broken))
    known = wording.list_worth_knowing(diagnosis)
    notes = [f"- **{wording.format_title(one)}** {pen.prose(one.message)}" for one in known[: pen.most]]
    yield from fold_lines("Worth knowing, but no alarm", notes)


def _write_break(finding: Finding, judgement: Judgement, pen: MarkdownPen) -> Iterator[str]:
    diagnosis = judgement.diagnosis
    sure = f"{finding.severity.word}, {describe_confidence(finding.confidence)} confidence"
    place = wording.describe_place(finding, diagnosis)
    yield from ("", f"**{wording.format_title(finding)}** ({place}; {sure})", "", pen.prose(finding.message))
    if finding.evidence:
        yield ""
    for one in finding.evidence[: pen.most]:
        yield f"- {pen.name(one.metric)}: {wording.describe_measured(one, finding.onset, judgement.run)}"
    followed = diagnosis.under(finding.code)[: pen.most]
    if followed:
        yield from ("", f"Followed by: {', '.join(wording.format_title(one) for one in followed)}.")
    if finding.verify:
        command = finding.verify.startswith("weaklink ")
        yield from ("", f"To prove it: {pen.code(finding.verify) if command else pen.prose(finding.verify)}")
