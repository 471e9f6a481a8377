"""A comparison of evaluations as data: the JSON contract, with every number that is shown."""

from __future__ import annotations

from typing import Any

import msgspec

from weaklink.base.evidence.contrast import Contrast, Party
from weaklink.base.evidence.overlap import Overlap
from weaklink.show.data import document, encoded, envelope
from weaklink.verbs.compare import Compared


def line(compared: Compared) -> str:
    """A comparison as one line of JSON."""
    body: dict[str, Any] = document(compared.diagnosis) | {
        "comparable": None,
        "parties": [],
        "protocol": [],
        "looks": [],
    }
    if compared.contrast is not None:
        body |= _contrast(compared.contrast, comparable=compared.comparable)
    body["scores"] = None if compared.scores is None else msgspec.to_builtins(compared.scores)
    body["overlap"] = None if compared.overlap is None or not compared.overlap.rows else _overlap(compared.overlap)
    return encoded({**envelope("compare"), **body})


def _contrast(contrast: Contrast, *, comparable: bool) -> dict[str, Any]:
    return {
        "comparable": comparable,
        "measure": contrast.measure,
        "target_score": contrast.target,
        "tasks": list(contrast.tasks),
        "parties": [_party(party) for party in contrast.parties],
        "protocol": [msgspec.to_builtins(row) for row in contrast.protocol],
        "looks": [msgspec.to_builtins(one) for one in contrast.looks],
    }


def _party(party: Party) -> dict[str, Any]:
    return {
        "name": party.name,
        "evaluations": [
            {
                "task": entry.manifest.task,
                "model": entry.manifest.model,
                "date": entry.manifest.date,
                "split": entry.manifest.split,
                "seeds": list(entry.manifest.seeds),
                "source": entry.manifest.source,
            }
            for entry in party.entries
        ],
    }


def _overlap(overlap: Overlap) -> dict[str, Any]:
    return {
        "training": overlap.training,
        "evaluation": overlap.evaluation,
        "rows": overlap.rows,
        "items": overlap.items,
        "judged": overlap.judged,
        "words": overlap.words,
        "exact": overlap.exact,
        "seen": [msgspec.to_builtins(one) for one in overlap.seen],
    }
