"""A preflight as data: the JSON contract, with what the pictures are drawn from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from weaklink.base.evidence.spaces import Space
from weaklink.base.evidence.survey import Survey
from weaklink.judge.diagnosis.checklists import Item
from weaklink.judge.diagnosis.diagnosis import Diagnosis
from weaklink.show.data import document, encoded, envelope
from weaklink.show.pictures import pictures


def line(diagnosis: Diagnosis, survey: Survey, checklist: Sequence[Item]) -> str:
    """A preflight as one line of JSON: the diagnosis, the checklist, and what the pictures are drawn from."""
    body = document(diagnosis)
    body |= {
        "seconds": survey.seconds,
        "environment": _environment(survey),
        "checklist": [msgspec.to_builtins(item) for item in checklist],
        "pictures": msgspec.to_builtins(pictures(survey)),
    }
    return encoded({**envelope("preflight"), **body})


def _environment(survey: Survey) -> dict[str, Any]:
    spaces = {"observation": survey.observation, "action": survey.action}
    told = {name: None if space is None else _space(space) for name, space in spaces.items()}
    timing = None if survey.timing is None else msgspec.to_builtins(survey.timing)
    return {**told, "facts": dict(survey.facts), "timing": timing}


def _space(space: Space) -> dict[str, Any]:
    body: dict[str, Any] = {"kind": space.kind, "size": space.size}
    if space.shape:
        body["shape"] = list(space.shape)
    if space.choices:
        body["choices"] = list(space.choices)
    if space.parts:
        body["parts"] = {key: _space(part) for key, part in space.parts.items()}
    return body
