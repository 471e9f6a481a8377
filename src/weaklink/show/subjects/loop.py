"""The thirteen links as a diagnosis leaves them: clean, broken, a consequence, or not to be told."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from weaklink.base.finding import Finding, Level
from weaklink.base.loop import Link
from weaklink.judge.diagnosis.about import link_of
from weaklink.judge.diagnosis.diagnosis import Diagnosis
from weaklink.show import wording
from weaklink.show.document import LinkShown
from weaklink.show.text import several

CLEAN, BROKEN, CONSEQUENCE, UNKNOWN = "clean", "broken", "consequence", "unknown"
MOST_NAMED = 3


@dataclass
class _Asked:
    """What the rules of one link came to."""

    findings: list[Finding] = field(default_factory=list)
    clean: list[str] = field(default_factory=list)
    blind: list[str] = field(default_factory=list)

    @property
    def alarms(self) -> list[Finding]:
        return [finding for finding in self.findings if finding.severity >= Level.WARN]


def show_links(diagnosis: Diagnosis) -> tuple[LinkShown, ...]:
    """Every link in the order of the loop."""
    asked = {link: _Asked() for link in Link}
    for finding in diagnosis.findings:
        if finding.link is not None:
            asked[finding.link].findings.append(finding)
    for codes, kind in ((diagnosis.clean, "clean"), (diagnosis.blind, "blind"), (diagnosis.unable, "blind")):
        for code in codes:
            link = link_of(code)
            if link is not None:
                getattr(asked[link], kind).append(code)
    return tuple(_shown(link, asked[link], diagnosis) for link in Link)


def _shown(link: Link, asked: _Asked, diagnosis: Diagnosis) -> LinkShown:
    broke = diagnosis.first_break
    state = _state(asked)
    first = broke is not None and broke.link is link and state == BROKEN
    return LinkShown(
        link=link.value,
        state=state,
        says=_says(state, asked, diagnosis, first=first),
        first=first,
        codes=tuple(dict.fromkeys(finding.code for finding in asked.findings)),
        clean=len(asked.clean),
        blind=len(asked.blind),
    )


def _state(asked: _Asked) -> str:
    alarms = asked.alarms
    if any(finding.consequence_of is None for finding in alarms):
        return BROKEN
    if alarms:
        return CONSEQUENCE
    return CLEAN if asked.clean or asked.findings else UNKNOWN


def _says(state: str, asked: _Asked, diagnosis: Diagnosis, *, first: bool) -> str:
    if state == BROKEN:
        breaks = [finding for finding in asked.alarms if finding.consequence_of is None]
        told = "broke first" if first else "broken"
        return f"{told}: {_named(breaks, diagnosis)}"
    if state == CONSEQUENCE:
        causes = ", ".join(dict.fromkeys(finding.consequence_of or "" for finding in asked.alarms))
        return f"a consequence of {causes}: {_named(asked.alarms, diagnosis)}"
    blind = f"{several(len(asked.blind), 'rule')} could not tell" if asked.blind else ""
    if state == UNKNOWN:
        return f"{blind}{_lacking(asked.blind, diagnosis)}" if blind else "no rule was asked about this link"
    known = f"{several(len(asked.findings), 'finding')} worth knowing" if asked.findings else ""
    found = f"{several(len(asked.clean), 'rule')} found nothing" if asked.clean else ""
    return ", ".join(part for part in (found, known, blind) if part)


def _named(findings: Iterable[Finding], diagnosis: Diagnosis) -> str:
    told = dict.fromkeys(
        ", ".join(part for part in (wording.title(one), wording.since(one, diagnosis)) if part) for one in findings
    )
    return "; ".join(told)


def _lacking(codes: Iterable[str], diagnosis: Diagnosis) -> str:
    missing = list(dict.fromkeys(name for code in codes for name in diagnosis.blind.get(code, ())))
    if not missing:
        return ""
    more = f" and {len(missing) - MOST_NAMED} more" if len(missing) > MOST_NAMED else ""
    return f" without {', '.join(missing[:MOST_NAMED])}{more}"
