"""What a survey of the environment found that a run trained in."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from weaklink.base.finding import Finding, decode_finding, encode_finding

LINE = "surveyed"
"""The kind of the lines of a recording that tell of it."""


class SurveyedEnvironment(msgspec.Struct, frozen=True):
    """The environment by its name, what is wrong with it, and what could not be looked at."""

    name: str
    findings: tuple[Finding, ...] = ()
    notes: tuple[str, ...] = ()

    def as_data(self) -> dict[str, Any]:
        """The content of a line of a recording."""
        return {
            "name": self.name,
            "findings": [encode_finding(finding) for finding in self.findings],
            "notes": list(self.notes),
        }


def parse_surveyed(line: Mapping[str, Any]) -> SurveyedEnvironment | None:
    """What a line of a recording tells of the environment; None for one of another kind."""
    told = line.get(LINE)
    if not isinstance(told, dict):
        return None
    findings = told.get("findings") if isinstance(told.get("findings"), list) else []
    notes = told.get("notes") if isinstance(told.get("notes"), list) else []
    found = (decode_finding(each) for each in findings or () if isinstance(each, dict))
    return SurveyedEnvironment(
        str(told.get("name", "")), tuple(one for one in found if one is not None), tuple(map(str, notes or ()))
    )
