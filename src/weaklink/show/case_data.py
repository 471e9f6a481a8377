"""A case as data: the JSON contract, with its stages and checklists."""

from __future__ import annotations

from typing import Any

import msgspec

from weaklink.show.case_wording import called, next_step
from weaklink.show.data import document, encoded, envelope
from weaklink.verbs.debug.case import Case, StageResult


def line(case: Case) -> str:
    """A case as one line of JSON."""
    return encoded({**envelope("debug"), **body(case)})


def body(case: Case) -> dict[str, Any]:
    """A case under the keys of the contract: those of a diagnosis first."""
    return {
        **document(case.diagnosis),
        "target": called(case),
        "why": case.why,
        "stage_of_break": case.stage_of_break or None,
        "stages": [_stage(stage) for stage in case.stages],
        "checklists": {
            title: [msgspec.to_builtins(item) for item in items] for title, items in case.checklists.items()
        },
        "next": next_step(case) or None,
        "folder": str(case.folder),
        "options": dict(case.options),
        "seconds": case.seconds,
        "stopped": case.stopped,
    }


def _stage(stage: StageResult) -> dict[str, Any]:
    broke = None if stage.diagnosis is None else stage.diagnosis.first_break
    return {
        "stage": stage.stage,
        "state": stage.state,
        "why": stage.why,
        "seconds": stage.seconds,
        "resumed": stage.resumed,
        "first_break": None if broke is None else {"link": broke.link.value, "code": broke.code},
        "facts": dict(stage.facts),
        "output": stage.output or None,
    }
