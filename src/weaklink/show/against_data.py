"""A comparison as data: the JSON contract, with every curve and number that is drawn."""

from __future__ import annotations

from typing import Any

import msgspec

from weaklink.base.evidence.comparison import Comparison, Contestant, Training
from weaklink.base.evidence.standing import Side, curve, standing
from weaklink.judge.diagnosis.diagnosis import Diagnosis
from weaklink.show.data import document, encoded, envelope


def line(diagnosis: Diagnosis, comparison: Comparison) -> str:
    """A comparison as one line of JSON."""
    found = standing(comparison)
    between = {name: msgspec.to_builtins(value) for name, value in msgspec.structs.asdict(found).items()}
    body = document(diagnosis) | {
        "seconds": comparison.seconds,
        "environment": comparison.environment,
        "budget": comparison.steps,
        "random": list(comparison.random),
        "trainer": _side(comparison.trainer, found.trainer, comparison.steps),
        "reference": _side(comparison.reference, found.reference, comparison.steps),
        "comparison": {
            name: value for name, value in between.items() if name not in ("trainer", "reference", "random")
        },
    }
    return encoded({**envelope("probe"), **body})


def _side(contestant: Contestant, side: Side, steps: int) -> dict[str, Any]:
    return {
        "name": contestant.name,
        "settings": dict(contestant.settings),
        **msgspec.to_builtins(side),
        "curve": msgspec.to_builtins(curve(contestant, steps)),
        "trainings": [_training(each) for each in contestant.trainings],
    }


def _training(training: Training) -> dict[str, Any]:
    """One training without what it printed."""
    body: dict[str, Any] = msgspec.to_builtins(training)
    return {name: value for name, value in body.items() if name != "printed"}
