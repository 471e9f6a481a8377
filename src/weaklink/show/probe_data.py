"""A climb as data: the JSON contract, with every rung and every training."""

from __future__ import annotations

from typing import Any

from weaklink.base.evidence.outcome import Measure, Outcome, Rung, Trial
from weaklink.judge.diagnosis.diagnosis import Diagnosis
from weaklink.show.data import document, encoded, envelope


def line(diagnosis: Diagnosis, outcome: Outcome) -> str:
    """A climb as one line of JSON."""
    body = document(diagnosis)
    body |= {
        "seconds": outcome.seconds,
        "stopped": outcome.stopped,
        "shows": list(outcome.shows),
        "ladder": [_rung(rung) for rung in outcome.rungs],
        "left": dict(outcome.left),
    }
    return encoded({**envelope("probe"), **body})


def _rung(rung: Rung) -> dict[str, Any]:
    return {
        "code": rung.code,
        "name": rung.name,
        "environment": rung.environment,
        "verdict": rung.verdict,
        "adds": rung.adds,
        "trials": [_trial(trial) for trial in rung.trials],
    }


def _trial(trial: Trial) -> dict[str, Any]:
    return {
        "seed": trial.seed,
        "steps": trial.steps,
        "taken": trial.taken,
        "seconds": trial.seconds,
        "gamma": trial.gamma,
        "holds": trial.holds,
        "failure": trial.failure or None,
        "measures": [_measure(measure) for measure in trial.measures],
    }


def _measure(measure: Measure) -> dict[str, Any]:
    return {
        "what": measure.what,
        "where": measure.where,
        "measured": measure.measured,
        "right": measure.right,
        "low": measure.low,
        "high": measure.high,
    }
