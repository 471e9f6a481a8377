"""What was told of one run: each fault once, and none that is there at one look and gone at the next."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from weaklink.base.finding import Finding, Level
from weaklink.base.loop import Link

FindingKey = tuple[str, Link | None]

LOOKS = 2
"""As many looks in a row as a finding has to be seen, or missed, before it is reported, or reported as gone."""


class ToldFindings:
    """The findings of one run over many looks.

    A finding counts once two looks in a row have seen it. Errors, and what the run itself has told, count at once.
    It is told again only where it has become worse, and its going is told once.
    """

    def __init__(self) -> None:
        self._seen: dict[FindingKey, int] = {}
        self._missed: dict[FindingKey, int] = {}
        self._waiting: dict[FindingKey, Finding] = {}
        self._told: dict[FindingKey, Finding] = {}
        self._gone: set[FindingKey] = set()

    @property
    def waiting(self) -> bool:
        """Whether a finding was seen that has not been told yet."""
        return bool(self._waiting)

    def knows(self, code: str) -> bool:
        """Whether a finding of this rule was told."""
        return any(told == code for told, _ in self._told)

    def look(self, findings: Sequence[Finding], certain: Collection[str] = ()) -> tuple[list[Finding], list[Finding]]:
        """Takes the findings of one look, and the codes that the run itself has told.

        Returns:
            the findings to tell, and those to tell as gone.
        """
        there = {(one.code, one.link): one for one in reversed(findings)}
        self._seen = {key: self._seen.get(key, 0) + 1 for key in there}
        self._waiting = {key: one for key, one in there.items() if self._is_news(key, one)}
        fresh = [
            one
            for key, one in self._waiting.items()
            if one.severity >= Level.ERROR or one.code in certain or self._seen[key] >= LOOKS
        ]
        return self._tell(fresh), self._leave(there)

    def settle(self) -> list[Finding]:
        """The findings to tell because no further look will come: the log has stopped growing."""
        return self._tell(list(self._waiting.values()))

    def _is_news(self, key: FindingKey, finding: Finding) -> bool:
        told = self._told.get(key)
        return told is None or finding.severity > told.severity

    def _tell(self, findings: Sequence[Finding]) -> list[Finding]:
        for one in findings:
            self._told[one.code, one.link] = one
            del self._waiting[one.code, one.link]
        return list(reversed(findings))

    def _leave(self, there: Collection[FindingKey]) -> list[Finding]:
        self._missed = {each: self._missed.get(each, 0) + 1 for each in self._told if each not in there}
        left = [each for each, times in self._missed.items() if times >= LOOKS and each not in self._gone]
        self._gone.update(left)
        return [self._told[each] for each in left]
