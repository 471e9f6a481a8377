"""The thirteen links as a diagnosis leaves them: clean, broken, a consequence, or not to be told."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from weaklink.base.finding import Finding, Level
from weaklink.base.loop import Link
from weaklink.judge.diagnosis.about import find_link
from weaklink.judge.diagnosis.diagnosis import Diagnosis
from weaklink.show import wording
from weaklink.show.document import ShownLink
from weaklink.show.text import count_noun

CLEAN, BROKEN, CONSEQUENCE, UNKNOWN = "clean", "broken", "consequence", "unknown"
MOST_NAMED = 3


class _LinkAnswers(msgspec.Struct):
    """What the rules of one link came to."""

    findings: list[Finding] = []
    clean: list[str] = []
    blind: list[str] = []

    @property
    def alarms(self) -> list[Finding]:
        return [finding for finding in self.findings if finding.severity >= Level.WARN]


def show_links(diagnosis: Diagnosis) -> tuple[ShownLink, ...]:
    """Every link in the order of the loop."""
    asked = {link: _LinkAnswers() for link in Link}
    for finding in diagnosis.findings:
        if finding.link is not None:
            asked[finding.link].findings.append(finding)
    for codes, kind in ((diagnosis.clean, "clean"), (diagnosis.blind, "blind"), (diagnosis.unable, "blind")):
        for code in codes:
            link = find_link(code)
            if link is not None:
                getattr(asked[link], kind).append(code)
    return tuple(_show_link(link, asked[link], diagnosis) for link in Link)


def _show_link(link: Link, asked: _LinkAnswers, diagnosis: Diagnosis) -> ShownLink:
    broke = diagnosis.first_break
    state = _decide_state(asked)
    first = broke is not None and broke.link is link and state == BROKEN
    return ShownLink(
        link=link.value,
        state=state,
        says=_describe_link(state, asked, diagnosis, first=first),
        first=first,
        codes=tuple(dict.fromkeys(finding.code for finding in asked.findings)),
        clean=len(asked.clean),
        blind=len(asked.blind),
    )


def _decide_state(asked: _LinkAnswers) -> str:
    alarms = asked.alarms
    if any(finding.consequence_of is None for finding in alarms):
        return BROKEN
    if alarms:
        return CONSEQUENCE
    return CLEAN if asked.clean or asked.findings else UNKNOWN


def _describe_link(state: str, asked: _LinkAnswers, diagnosis: Diagnosis, *, first: bool) -> str:
    if state == BROKEN:
        breaks = [finding for finding in asked.alarms if finding.consequence_of is None]
        told = "broke first" if first else "broken"
        return f"{told}: {_name_findings(breaks, diagnosis)}"
    if state == CONSEQUENCE:
        causes = ", ".join(dict.fromkeys(finding.consequence_of or "" for finding in asked.alarms))
        return f"a consequence of {causes}: {_name_findings(asked.alarms, diagnosis)}"
    blind = f"{count_noun(len(asked.blind), 'rule')} could not tell" if asked.blind else ""
    if state == UNKNOWN:
        return f"{blind}{_describe_lacking(asked.blind, diagnosis)}" if blind else "no rule was asked about this link"
    known = f"{count_noun(len(asked.findings), 'finding')} worth knowing" if asked.findings else ""
    found = f"{count_noun(len(asked.clean), 'rule')} found nothing" if asked.clean else ""
    return ", ".join(part for part in (found, known, blind) if part)


def _name_findings(findings: Iterable[Finding], diagnosis: Diagnosis) -> str:
    told = dict.fromkeys(
        ", ".join(part for part in (wording.format_title(one), wording.describe_onset(one, diagnosis)) if part)
        for one in findings
    )
    return "; ".join(told)


def _describe_lacking(codes: Iterable[str], diagnosis: Diagnosis) -> str:
    missing = list(dict.fromkeys(name for code in codes for name in diagnosis.blind.get(code, ())))
    if not missing:
        return ""
    more = f" and {len(missing) - MOST_NAMED} more" if len(missing) > MOST_NAMED else ""
    return f" without {', '.join(missing[:MOST_NAMED])}{more}"
