"""What a rule says: a finding, its level and its evidence; or that it could not tell."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from enum import IntEnum
from typing import Any

import msgspec

from weaklink.base.loop import Link

LOW, MEDIUM, HIGH = 0.3, 0.6, 0.9
"""Confidence by the kind and amount of evidence."""


class Level(IntEnum):
    """How bad: info is worth knowing, warn will probably spoil learning, error is wrong."""

    INFO = 1
    WARN = 2
    ERROR = 3

    @property
    def word(self) -> str:
        """The level as users read and write it."""
        return self.name.lower()


class Evidence(msgspec.Struct, frozen=True, kw_only=True):
    """One number that proves a finding: the metric, its value, the limit it crossed, and where.

    Numbers may be whole (`int | float`), so that they are shown alike after they went through another process.
    """

    metric: str
    value: int | float
    limit: int | float | None = None
    step: int | float | None = None


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """One fault that was seen.

    A rule fills in what it saw: message, onset, evidence, confidence and, where they depend on what was seen,
    level, link and fix. The registry stamps the rest from the rule itself.
    """

    message: str
    onset: int | float | None = None
    onset_within: int | float = 0.0
    confidence: float = MEDIUM
    evidence: tuple[Evidence, ...] = ()
    level: Level | None = None
    link: Link | None = None
    fix: tuple[str, ...] = ()
    verify: str = ""
    code: str = ""
    name: str = ""
    consequence_of: str | None = None

    @property
    def severity(self) -> Level:
        """The level, once stamped."""
        return self.level or Level.INFO


class CannotTell(msgspec.Struct, frozen=True):
    """A rule that could not judge: what it would have needed, and why in one short phrase."""

    missing: tuple[str, ...]
    why: str = ""


Answer = Finding | tuple[Finding, ...] | CannotTell | None
"""Fired (several times where one fault shows in several places), could not tell, or clean."""


def is_proof(code: object) -> bool:
    """Whether a rule with this code judges from inside the loop: its number is between 200 and 299."""
    return isinstance(code, str) and re.fullmatch(r"(?!PRB)[A-Z]{3}2\d\d", code) is not None


def answer_with(findings: Iterable[Finding]) -> Answer:
    """The answer of a rule with these findings: the only one, all of several, or None for none."""
    found = tuple(findings)
    return found[0] if len(found) == 1 else found or None


def encode_finding(finding: Finding) -> dict[str, Any]:
    """A finding as plain data, link and level in words, so that `decode_finding` makes it again."""
    data: dict[str, Any] = msgspec.to_builtins(finding)
    return data | {"level": finding.level.word if finding.level else None}


def decode_finding(data: Mapping[str, Any]) -> Finding | None:
    """The finding that `as_data` wrote down; None for what is none, or comes without a code."""
    level = data.get("level")
    known = {word.word: word for word in Level}
    if not isinstance(level, str) or level not in known:
        return None
    try:
        finding = msgspec.convert({**data, "level": int(known[level])}, Finding, strict=False)
    except (msgspec.ValidationError, ValueError, OverflowError):
        return None
    return finding if finding.code and finding.link is not None else None
