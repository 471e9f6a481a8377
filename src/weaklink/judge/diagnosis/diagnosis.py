"""The answer: what broke first, what followed from it, what is clean, and what could not be judged."""

from __future__ import annotations

import msgspec

from weaklink.base.backports import StrEnum
from weaklink.base.finding import Finding, Level
from weaklink.base.loop import Link
from weaklink.base.viewing import ViewedResult


class Verdict(StrEnum):
    """The whole run in one word; `unclear` is said whenever too little could be judged."""

    HEALTHY = "healthy"
    BROKEN = "broken"
    UNCLEAR = "unclear"


class FirstBreak(msgspec.Struct, frozen=True):
    """The link that broke first, the rule that saw it, and the step at which it began."""

    link: Link
    code: str
    step: int | float | None


class MetricWish(msgspec.Struct, frozen=True):
    """A metric that was not logged and how many rules could judge with it."""

    metric: str
    unlocks: tuple[str, ...]
    how: str = ""


class Diagnosis(ViewedResult, msgspec.Struct, frozen=True, kw_only=True):
    """One run, judged.

    `findings` come in the order in which to read them: the first break, what followed from it, other breaks, then
    what is merely worth knowing. `blind` gives for each rule that could not judge what it lacked. `unable` holds
    the rules that failed themselves, with the fault: never the user's problem, but never hidden either.
    """

    target: str
    verdict: Verdict
    first_break: FirstBreak | None = None
    findings: tuple[Finding, ...] = ()
    clean: tuple[str, ...] = ()
    blind: dict[str, tuple[str, ...]] = {}
    unable: dict[str, str] = {}
    wishes: tuple[MetricWish, ...] = ()
    advice: tuple[str, ...] = ()
    unknown_keys: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    damaged_lines: dict[str, int] = {}
    framework: str = ""
    steps: int | float = 0.0

    @property
    def judged(self) -> int:
        """How many rules could judge: those that are clean and those that fired."""
        return len(self.clean) + len({finding.code for finding in self.findings})

    @property
    def asked(self) -> int:
        """How many rules were asked."""
        return self.judged + len(self.blind) + len(self.unable)

    @property
    def worst(self) -> Level | None:
        """The highest level among the findings."""
        return max((finding.severity for finding in self.findings), default=None)

    def under(self, code: str) -> tuple[Finding, ...]:
        """The findings that are consequences of this one."""
        return tuple(finding for finding in self.findings if finding.consequence_of == code)

    @property
    def causes(self) -> tuple[Finding, ...]:
        """The findings that are nobody's consequence."""
        return tuple(finding for finding in self.findings if finding.consequence_of is None)
